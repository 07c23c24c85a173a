"""`python -m treewright`: the command line."""

from treewright.cli.main import main

main()
