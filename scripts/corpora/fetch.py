"""Gets single files from a web address or a folder: continued where they broke off, under their final name only when complete."""
import http.client
import os
import pathlib
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

CHUNK = 1 << 20
ATTEMPTS = 4


class Failed(Exception):
    """What went wrong and what to do about it, for the user."""


def local_folder(base):
    """The folder that a --base names, or None for a web address."""
    try:
        parts = urllib.parse.urlsplit(base)
    except ValueError as error:
        raise Failed(f"--base {base} is not an address: {error}") from None
    if parts.scheme in ("http", "https"):
        return None
    if parts.scheme == "file":
        return pathlib.Path(urllib.request.url2pathname(parts.path))
    if "://" in base:
        raise Failed(f"--base {base}: only folders, file://, http:// and https:// are known")
    return pathlib.Path(base)


def fetch(base, names, target):
    """Gets the first of `names` (relative to base) that is there, as `target`; returns the name that was found."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    folder = local_folder(base)
    if folder is not None:
        for name in names:
            if (folder / name).is_file():
                shutil.copyfile(folder / name, part)
                os.replace(part, target)
                return name
        raise Failed(f"{folder} holds no {' nor '.join(names)}")
    for name in names:
        if download(base.rstrip("/") + "/" + urllib.parse.quote(name), part):
            os.replace(part, target)
            return name
    raise Failed(f"{base} holds no {' nor '.join(names)} (HTTP status 404). Another address, or a folder with the files, "
                 "can be given by --base")


def download(url, part):
    """Downloads url to `part`, going on after what is there. False if the server has no such file."""
    problem = ""
    for attempt in range(ATTEMPTS):
        try:
            receive(url, part)
            return True
        except urllib.error.HTTPError as error:
            if error.code in (404, 410):
                return False
            problem = f"HTTP status {error.code}"
            if error.code == 416:  # asked to go on after the end: `part` is of another version
                part.unlink(missing_ok=True)
                continue
            if error.code < 500:
                break
        except (ValueError, http.client.InvalidURL) as error:
            raise Failed(f"{url} is not an address: {error}") from None
        except (OSError, http.client.HTTPException) as error:
            problem = str(getattr(error, "reason", error))
        if attempt + 1 < ATTEMPTS:
            print(f"get_data: {url}: {problem}; trying again", file=sys.stderr)
            time.sleep(2**attempt)
    raise Failed(f"{url} cannot be downloaded: {problem}. What has arrived is kept: run this again to go on, "
                 "or give --base another address or a folder with the files")


def receive(url, part):
    """One attempt. Raises ConnectionError if fewer bytes arrive than the server announced."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    with urllib.request.urlopen(request, timeout=60) as answer:
        if answer.status != 206:  # the server starts over
            have = 0
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length else None
        size = f", {total / 1e6:.1f} MB" if total else ""
        print(f"get_data: {url}{size}" + (f", going on at {have / 1e6:.1f} MB" if have else ""), flush=True)
        with open(part, "ab" if have else "wb") as output:
            shutil.copyfileobj(answer, output, CHUNK)
    if total is not None and part.stat().st_size != total:
        raise ConnectionError(f"the connection ended after {part.stat().st_size} of {total} bytes")
