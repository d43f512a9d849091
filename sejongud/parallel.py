"""The same function on many items, in several processes, in order and in constant memory."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from sejongud.errors import SejongudError, UsageError

if TYPE_CHECKING:
    import multiprocessing.context
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

__all__ = ["abandoned", "ordered_map"]

T = TypeVar("T")
R = TypeVar("R")

abandoned = threading.Event()
"""Set when a pool was left behind whose threads may never end; `os._exit` is the way out then."""

_AHEAD = 3
"""How many items a process are in flight: one worked on, one waiting, one being handed back."""


def ordered_map(
    function: Callable[[T], R],
    items: Iterable[T],
    jobs: int = 1,
    *,
    initializer: Callable[..., object] | None = None,
    initargs: tuple[object, ...] = (),
) -> Iterator[R]:
    """The results of `function`, in the order of the items.

    Like `map`, but in `jobs` processes. Items are taken only a few ahead of the results, so any
    number of them needs the same memory. An exception comes out at the place of its item, be it
    raised by the function or by `items` itself. An item should be worth a few milliseconds (a
    chunk of a file, not a line), since each one is sent to another process and back.

    Args:
        function: a function at the top of a module; what it takes and gives must pickle.
        items: the items.
        jobs: how many processes; 1 works in this one, 0 takes as many as there are processors.
        initializer: called with `initargs` once in every process before its first item.
        initargs: what it is called with.

    Raises:
        UsageError: `jobs` is no number of processes.
        SejongudError: a process ended before its work was done, as when memory runs out.

    >>> list(ordered_map(str.upper, ["a", "b"]))
    ['A', 'B']
    """
    if jobs < 0:
        raise UsageError(f"{jobs} is not a number of processes")
    jobs = jobs or _processors()
    if jobs == 1:
        if initializer is not None:
            initializer(*initargs)
        return map(function, items)
    return _pooled(function, iter(items), jobs, initializer, initargs)


def _pooled(
    function: Callable[[T], R],
    items: Iterator[T],
    jobs: int,
    initializer: Callable[..., object] | None,
    initargs: tuple[object, ...],
) -> Iterator[R]:
    # Slow to import, and not needed for one job.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(
        jobs,
        mp_context=_context(),
        initializer=_begin,
        initargs=(initializer, initargs),
    )
    # A future is waited for in a queue: its own waiting can break when Ctrl-C comes.
    flying: deque[SimpleQueue[Future[R]]] = deque()
    failure: Exception | None = None
    wait = True
    try:
        while failure is None:
            try:
                item = next(items)
            except StopIteration:
                break
            except Exception as error:  # raised again below, behind the results before it
                failure = error
            else:
                flying.append(SimpleQueue())
                with _interrupts_held():  # this may start a worker
                    pool.submit(function, item).add_done_callback(flying[-1].put)
                if len(flying) >= _AHEAD * jobs:
                    yield flying.popleft().get().result()
        while flying:
            yield flying.popleft().get().result()
    except (KeyboardInterrupt, SystemExit):
        wait = False
        raise
    except BrokenProcessPool:
        wait = False
        raise SejongudError(
            "a worker process ended before its work was done; perhaps there was not enough "
            "memory: try again with fewer --jobs; a script of your own that asks for several "
            'processes does so under `if __name__ == "__main__":`'
        ) from None
    finally:
        if not wait:
            # The workers may have been killed, and a thread of the pool may for ever be about to
            # write to them (CPython issue 94777): whoever ends the program must not wait for it.
            abandoned.set()
        pool.shutdown(wait=wait, cancel_futures=True)
    if failure is not None:
        raise failure


def _context() -> multiprocessing.context.BaseContext:
    import multiprocessing

    # A plain fork copies locks that other threads hold (a progress bar has one, Kiwi has many).
    methods = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back; a process that is started meanwhile holds it back until it says otherwise.

    It would end half started, with a traceback of its own.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(initializer: Callable[..., object] | None, initargs: tuple[object, ...]) -> None:
    """What every worker does first."""
    # Ctrl-C reaches all processes of a terminal: a worker just ends, only the main one says so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if initializer is not None:
        initializer(*initargs)


def _end_with_parent() -> None:
    """End this process when its parent has been killed: it would wait for work for ever."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
