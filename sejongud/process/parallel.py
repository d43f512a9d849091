"""Applying a function to many items in several processes, in order and in constant memory."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from sejongud.errors import SejongudError, UsageError
from sejongud.process import ENDING, end_at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from multiprocessing.connection import Connection

T = TypeVar("T")
R = TypeVar("R")

abandoned = threading.Event()
"""Set when a pool was abandoned whose threads may never end; the process needs `os._exit` then."""
running = threading.RLock()
"""Held while a command runs in this process: standard output and error belong to all threads."""

_AHEAD = 3
"""The items in flight for each process: one in work, one waiting, one being returned."""


def ordered_map(
    function: Callable[[T], R],
    items: Iterable[T],
    jobs: int = 1,
    *,
    initializer: Callable[[], object] | None = None,
) -> Iterator[R]:
    """Iterate over the results of `function`, in the order of the items.

    The function works like `map`, but in `jobs` processes. It takes only a few items ahead of the
    results, so memory is constant. An exception is raised at the place of its item, whether the
    function or `items` raised it. The work for an item should take a few milliseconds (a chunk of
    a file rather than a line), since every item is sent to another process and back.

    Args:
        function: a function at the top of a module; its argument and its result must pickle.
        items: the items.
        jobs: the number of processes; 1 works in this process, 0 uses one for each processor.
        initializer: called once in every process before its first item; it must pickle.

    Raises:
        UsageError: `jobs` is negative.
        SejongudError: a process ended before its work was done, for instance for lack of memory.

    >>> list(ordered_map(str.upper, ["a", "b"]))
    ['A', 'B']
    """
    if jobs < 0:
        raise UsageError(f"{jobs} is not a number of processes")
    jobs = jobs or _processors()
    if jobs == 1:
        if initializer is not None:
            initializer()
        return map(function, items)
    return _pooled(function, iter(items), jobs, initializer)


def _pooled(
    function: Callable[[T], R],
    items: Iterator[T],
    jobs: int,
    initializer: Callable[[], object] | None,
) -> Iterator[R]:
    # These imports are slow, and one job does not need them.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # A plain fork copies the locks of other threads (a progress bar has one, Kiwi has many), and a
    # fork server leaves its folder behind when this process ends at once.
    context = multiprocessing.get_context("spawn")
    # Nothing is ever sent: the workers end when this process closes its end, or ends.
    watched, alive = context.Pipe(duplex=False)
    _start_tracker()
    threads = set(threading.enumerate())
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_begin, initargs=(watched, initializer)
    )
    # A queue waits for each future: Ctrl-C can break the future's own waiting.
    flying: deque[SimpleQueue[Future[R]]] = deque()
    failure: Exception | None = None
    wait = True
    try:
        while failure is None:
            try:
                item = next(items)
            except StopIteration:
                break
            except Exception as error:  # It is raised again below, after the earlier results.
                failure = error
            else:
                flying.append(SimpleQueue())
                with _held({"SIGINT"}):  # Submitting may start a worker.
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
            "memory: try again with fewer --jobs; a script of your own must start several "
            'processes under `if __name__ == "__main__":`'
        ) from None
    finally:
        if not wait:
            # The workers may have been killed, and a thread of the pool may block for ever while
            # it writes to them (CPython issue 94777): the end of the program must not wait for it.
            abandoned.set()
            alive.close()
        pool.shutdown(wait=wait, cancel_futures=True)
        alive.close()
        watched.close()
        if not wait:
            _join_briefly(set(threading.enumerate()) - threads)
    if failure is not None:
        raise failure


def _join_briefly(threads: Iterable[threading.Thread]) -> None:
    """Wait a moment for the threads of a pool whose workers have ended.

    Python wakes such a thread at its own end, and prints an error if the thread closes its pipe at
    that moment.
    """
    for thread in threads:
        if not thread.daemon:
            thread.join(_PATIENCE)


_PATIENCE = 2.0
"""The most seconds to wait for a thread."""


def _start_tracker() -> None:
    """Start the process that removes the semaphores of the pool when this process has ended.

    It must outlive the signals that end all processes of a terminal. It inherits the filters of
    warnings, too: it would warn of a process that ended before it removed the semaphores itself.
    """
    from multiprocessing import resource_tracker

    if hasattr(signal, "pthread_sigmask"):
        sys.warnoptions.append(_QUIET)
        try:
            with _held(ENDING):
                resource_tracker.ensure_running()
        finally:
            sys.warnoptions.remove(_QUIET)


_QUIET = "ignore:resource_tracker"
"""The filter of warnings whose text begins so."""


@contextmanager
def _held(names: Iterable[str]) -> Iterator[None]:
    """Block signals while a process starts, which inherits that and unblocks them when it is ready.

    Ctrl-C would otherwise end a half-started worker, which would print a traceback of its own.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    numbers = {getattr(signal, name) for name in names if hasattr(signal, name)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(watched: Connection, initializer: Callable[[], object] | None) -> None:
    """Prepare a worker process: signals, the watch on its parent, the initializer."""
    # Ctrl-C reaches all processes of a terminal. If a worker ended by it, the main process could
    # see that before its own signal, and report a worker that died.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, args=(watched,), daemon=True).start()
    if initializer is not None:
        initializer()


def _end_with_parent(watched: Connection) -> None:
    """End this process when its parent ends it, or ends: it would wait for work for ever."""
    watched.poll(None)
    end_at_once(1)


def _processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
