"""The public corpora that get_data.py knows, one file each, over fetch.py (downloads) and text.py (cleaning, writing)."""
