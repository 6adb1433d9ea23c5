"""`python -m hotato` is the command line `hotato`."""

from hotato.cli import run

if __name__ == "__main__":
    run()
