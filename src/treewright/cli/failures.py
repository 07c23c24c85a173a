"""What becomes of errors: one clear line on standard error, and a status that tells whose fault it was."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, NoReturn, TextIO

import click

from treewright.cli.hints import with_options

__all__ = ["Mistyped", "close_match", "note", "run_guarded", "typed_by_user"]

INTERRUPTED = 130
FAILED = 1
LEAST_BEGIN = 20  # letters before the first number or name that tell one warning from others


class Mistyped(click.UsageError):
    """Something that the user typed is not possible: status 2, and one line."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line."""
        note(f"Error: {self.message}")


def note(text: str) -> None:
    """Say something on standard error that is no result."""
    click.echo(text, err=True)


def close_match(word: str, known: Sequence[str]) -> str:
    """Return a sentence with the nearest known word, with a space before it; perhaps nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for mistakes

    lowered = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.5)
    return f" Did you mean {lowered[close[0]]!r}?" if close else ""


@contextmanager
def typed_by_user() -> Iterator[None]:
    """Turn refusals of what was typed into status 2."""
    try:
        yield
    except (TypeError, ValueError, LookupError) as error:
        raise Mistyped(one_line(error)) from None


def one_line(error: BaseException | str) -> str:
    """Return the message of an error or warning on one line, in the words of the command line."""
    return with_options(" ".join(f"{error}".split())) or type(error).__name__


class Warned:
    """Says each warning once: those of the folds of a cross-validation differ in numbers and names only."""

    def __init__(self) -> None:
        self._said: set[tuple[type[Warning], str]] = set()

    def __call__(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        """Take the place of `warnings.showwarning`."""
        text = one_line(message)
        begin = re.split(r"[':]|\b\d", text)[0]
        key = category, begin if len(begin) >= LEAST_BEGIN else text
        if key not in self._said:
            self._said.add(key)
            note(f"note: {text}")


def run_guarded(command: click.Command, arguments: list[str] | None) -> NoReturn:
    """Run a command and leave with its status; nothing ends in a traceback."""
    warnings.showwarning = Warned()
    warnings.simplefilter("once", UserWarning)
    try:
        command.main(args=arguments, prog_name="treewright", standalone_mode=False)
        sys.stdout.flush()
        status = 0
    except click.exceptions.Exit as left:
        status = left.exit_code
    except (KeyboardInterrupt, click.Abort):
        note("interrupted")
        status = INTERRUPTED
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except BrokenPipeError:
        # Whoever reads our output has had enough. Nothing may be flushed into the closed pipe at exit.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except MemoryError as error:
        note(f"Error: not enough memory. {one_line(error)}")
        status = FAILED
    except OSError as error:
        where = f" {error.filename}:" if error.filename else ""
        note(f"Error:{where} {error.strerror or one_line(error)}")
        status = FAILED
    except (ValueError, TypeError, ImportError, ArithmeticError) as error:
        note(f"Error: {one_line(error)}")
        status = FAILED
    sys.exit(status)
