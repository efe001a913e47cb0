"""Parts of scripts/bench_peers.py."""
