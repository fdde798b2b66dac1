"""A published set as something that answers requests: what both apps of `contrib` are made of."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from threading import Lock

from urlset._model.errors import InputError, UrlsetError
from urlset._options.publish import Dest
from urlset._options.shared import StoreOptions
from urlset._publish.values.header import Header
from urlset._publish.values.robots_txt import ROBOTS
from urlset._serve.answers import Asked, Piece, Selected, ServerReply, complete, not_found, select, unavailable
from urlset._serve.bodies import Bodies, ChangedFileError
from urlset._serve.loading import Stamps, load, stamps_of, under_way
from urlset._serve.served import ServedFile, ServedSet
from urlset._stores.folder import FolderStore
from urlset._stores.open import open_store

LOG = logging.getLogger("urlset.serve")
#: Seconds between two looks for a new set: a folder costs three calls of the system, an object store three requests.
FOLDER_CHECK, STORE_CHECK = 1.0, 30.0
#: Bytes that are kept in memory.
MEMORY = 64 << 20
#: The least seconds between two looks at an object store for names that are not known. Strangers can make them up.
_MISS_CHECK = 1.0
#: How many publishes, one after the other, may replace a document before the server gives up.
_PUBLISHES = 2
#: Names that a set may have, whichever set it is.
_OF_A_SET = re.compile(r"sitemap[^/]{0,200}\.xml(?:\.gz)?")


class SetServer:
    """Answers requests for the files of the set that is current in a store.

    Args:
        dest: Where the set is published.
        store: Options of the object store.
        robots: Whether a robots.txt is made where the store has none.
        check_every: Seconds between two looks for a new set.
        memory: Bytes that are kept in memory.
        is_alone: Whether no other app answers what is not in the set.

    Raises:
        InputError: The folder does not exist, or an argument is invalid.
    """

    def __init__(
        self,
        dest: Dest,
        *,
        store: StoreOptions = None,
        robots: bool = False,
        check_every: float | None = None,
        memory: int = MEMORY,
        is_alone: bool = True,
    ) -> None:
        if check_every is not None and not check_every >= 0:
            raise InputError(f"check_every must be a number of seconds, 0 or more, got {check_every!r}")
        if memory < 0:
            raise InputError(f"memory must be a number of bytes, 0 or more, got {memory!r}")
        self._store = open_store(dest, **(store or {}))
        is_folder = isinstance(self._store, FolderStore)
        if isinstance(self._store, FolderStore) and not self._store.folder.is_dir():
            raise InputError(
                f"dest must be a folder that exists, got {self._store.folder}: publish into it first, or correct it"
            )
        self._robots = robots
        self._is_alone = is_alone
        self._every = check_every if check_every is not None else FOLDER_CHECK if is_folder else STORE_CHECK
        self._miss_every = 0.0 if is_folder else min(_MISS_CHECK, self._every)
        self._bodies = Bodies(self._store, memory)
        self._set: ServedSet | None = None
        #: The stamps of the set that is served, and of the one that was looked at last.
        self._stamps: Stamps = ()
        self._tried: Stamps = ()
        self._next = self._last = 0.0
        self._seen = 0.0
        self._checking = Lock()
        self._said: str | None = None

    def at_once(self, asked: Asked) -> ServerReply | None:
        """Return the answer if it needs neither a file nor a look for a new set; otherwise None."""
        current = self._set
        if current is None:
            return None
        name = self._name(asked.path, current)
        if name is None:
            return not_found(asked)
        if self._is_due(name, current):
            return None
        file = current.files.get(name)
        if file is None:
            return self._missing(asked, name, current)
        found = select(file, asked, self._seen)
        if isinstance(found, ServerReply):
            return found
        data = self._bodies.at_once(file, is_gzip=found.is_gzip)
        return None if data is None else _whole(found, data)

    def reply(self, asked: Asked) -> ServerReply:
        """Return the answer. This may read files, and ask an object store."""
        current = self._set or self.check()
        name = self._name(asked.path, current)
        if name is None:
            return not_found(asked)
        if self._is_due(name, current):
            current = self.check()
        file = None
        try:
            for file in self._candidates(name):
                with suppress(ChangedFileError):
                    return self._answer(file, asked)
        except UrlsetError as error:
            self._say(str(error))
            return unavailable(asked)
        if file is None:
            return self._missing(asked, name, current)
        if file.is_kept:
            return not_found(asked)
        self._say(f"{self._store.location}/{name} is missing, or not as it was published: publish again")
        return unavailable(asked)

    def current(self) -> Header | None:
        """Return what the manifest says of the set that is served; None if none can be. This may read files."""
        current = self._set
        return (self.check() if current is None or time.monotonic() >= self._next else current).header

    def check(self, *, waits: bool = False) -> ServedSet:
        """Look for a new set, if nobody else does, and return the current one. Without any set, wait for it.

        Args:
            waits: Whether to wait for whoever is looking.
        """
        if self._set is None:
            with self._checking:
                return self._set or self._look()
        if self._checking.acquire(blocking=waits):
            try:
                if time.monotonic() >= self._last + self._miss_every:
                    return self._look()
            finally:
                self._checking.release()
        return self._set

    def _look(self) -> ServedSet:
        now = time.monotonic()
        is_regular = now >= self._next
        self._last, self._next = now, now + self._every
        seen = time.time()
        try:
            stamps = stamps_of(self._store)
            # A damaged set is not read again for each name that somebody makes up.
            if stamps != self._tried or (is_regular and stamps != self._stamps):
                self._tried = stamps
                self._set = self._taken(load(self._store, makes_robots=self._robots), stamps)
        except UrlsetError as error:
            self._say(str(error))
            self._set = self._set or ServedSet({}, problem=str(error))
            return self._set
        if self._stamps == stamps:
            self._seen = seen
        return self._set or ServedSet({})

    def _taken(self, found: ServedSet, stamps: Stamps) -> ServedSet:
        """Return the set that is served from now on. One that cannot be served does not replace one that can."""
        if found.problem is not None:
            self._say(found.problem)
            if self._set is not None and self._set.problem is None:
                return self._set
            return found
        self._said = None
        self._stamps = stamps
        self._bodies.forget()
        return found

    def _candidates(self, name: str) -> Iterator[ServedFile]:
        """Yield what is known of a file; once that was wrong, what a publish has made of it meanwhile."""
        known = self._file(name)
        if known is None:
            return
        yield known
        for _ in range(_PUBLISHES):
            # In this order: a publish that is not under way any more has ended, and its set is the current one.
            for look in (self._under_way, self._looked_for):
                found = look(name)
                if found is not None and found != known:
                    known = found
                    yield found

    def _under_way(self, name: str) -> ServedFile | None:
        return under_way(self._store).get(name)

    def _looked_for(self, name: str) -> ServedFile | None:
        return self.check(waits=True).files.get(name)

    def _file(self, name: str) -> ServedFile | None:
        return None if self._set is None else self._set.files.get(name)

    def _answer(self, file: ServedFile, asked: Asked) -> ServerReply:
        found = select(file, asked, self._seen)
        if isinstance(found, ServerReply):
            return found
        data = self._bodies.at_once(file, is_gzip=found.is_gzip)
        body = self._bodies.read(file, is_gzip=found.is_gzip) if data is None else data
        if isinstance(body, bytes):
            return _whole(found, body)
        status, fields, start, end = complete(found, body.seek(0, 2))
        if found.is_head or start == end:
            body.close()
            return ServerReply(status, fields)
        return ServerReply(status, fields, Piece(body, start, end - start))

    def _name(self, path: str, current: ServedSet) -> str | None:
        """Return the name of the file at a path, if there may be one of this set."""
        name = path.removeprefix("/")
        if current.base_path:
            name = name.removeprefix(f"{current.base_path}/")
        elif current.problem is not None and self._is_alone:
            name = name.rpartition("/")[2]  # nobody knows below which path it would be served
        return name if name in current.files or name == ROBOTS or _OF_A_SET.fullmatch(name) else None

    def _is_due(self, name: str, current: ServedSet) -> bool:
        now = time.monotonic()
        return now >= self._next or (name not in current.files and now >= self._last + self._miss_every)

    def _missing(self, asked: Asked, name: str, current: ServedSet) -> ServerReply:
        """Return the answer for a name that is in no set that is known."""
        return unavailable(asked) if current.problem is not None and name != ROBOTS else not_found(asked)

    def _say(self, problem: str) -> None:
        """Log a problem, once until there is another one or none."""
        if problem != self._said:
            self._said = problem
            LOG.error("%s", problem)


def _whole(found: Selected, data: bytes) -> ServerReply:
    status, fields, start, end = complete(found, len(data))
    return ServerReply(status, fields, b"" if found.is_head else data[start:end] if end - start < len(data) else data)
