from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import subprocess
import sys
import tempfile
import termios
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import EncodingError, FormatError, UsageError
from sejongud.files import BLOCK, MAX_LINE, Source, atomic_output
from sejongud.files.layout import guess_encoding

if TYPE_CHECKING:
    from collections.abc import Callable

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}
KOREAN = "나는 책을 읽는다.\n너도 읽느냐?\n"

# Everything but surrogates (no text has them), CR (read as LF) and the byte order mark.
# Ctrl-Z at the end of a file is none of its text.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufeff\x1a"))
# What CP949 can say, with the ends of lines that are none.
korean_texts = st.text(st.one_of(st.characters(codec="cp949", exclude_characters="\r\x1a")))


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def read(path: Path, **options: object) -> str:
    with Source(path, **options) as source:  # type: ignore[arg-type]
        return source.text()


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def run(code: str, *args: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


class TestReading:
    @given(text=texts, encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
    def test_any_text_comes_back(self, scratch: Path, text: str, encoding: str) -> None:
        path = put(scratch / "text", text.encode(encoding))
        # Bytes that can be read in two ways: NUL in what has no mark is also a sign of UTF-16, and
        # the mark of UTF-16 with a NUL behind it is that of UTF-32.
        ambiguous = (encoding == "utf-8" and "\0" in text) or (
            encoding == "utf-16" and text.startswith("\0")
        )
        assert read(path, encoding=encoding if ambiguous else None) == text

    @given(text=korean_texts)
    def test_cp949_comes_back(self, scratch: Path, text: str) -> None:
        assert read(put(scratch / "text", text.encode("cp949")), encoding="cp949") == text

    @given(
        text=texts,
        block_size=st.integers(1, 9),
        encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32"]),
    )
    def test_lines_do_not_depend_on_the_blocks(
        self, scratch: Path, text: str, block_size: int, encoding: str
    ) -> None:
        path = put(scratch / "text", text.encode(encoding))
        expected = text.split("\n")
        if not expected[-1]:
            expected.pop()
        with Source(path, encoding=encoding, block_size=block_size) as source:
            assert list(source.lines()) == expected

    @given(text=texts, block_size=st.integers(1, 9))
    def test_chunks_end_with_lines(self, scratch: Path, text: str, block_size: int) -> None:
        path = put(scratch / "text", text.encode())
        with Source(path, encoding="utf-8", block_size=block_size) as source:
            chunks = list(source.chunks())
        assert "".join(chunks) == text
        assert all(chunk.endswith("\n") for chunk in chunks[:-1])
        assert "" not in chunks

    @given(
        lines=st.lists(st.text(st.sampled_from("가a\u2028\x85\v\f\x1c"), max_size=3)),
        ends=st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1),
        block_size=st.integers(1, 5),
    )
    def test_only_lf_crlf_and_cr_end_a_line(
        self, scratch: Path, lines: list[str], ends: list[str], block_size: int
    ) -> None:
        # A CR is never followed by an empty line here: CR LF would be one end.
        lines = [line or "-" for line in lines]
        text = "".join(line + ends[i % len(ends)] for i, line in enumerate(lines))
        path = put(scratch / "text", text.encode())
        with Source(path, block_size=block_size) as source:
            assert list(source.lines()) == lines

    @pytest.mark.parametrize("suffix", COMPRESS)
    def test_compression_is_seen_by_the_bytes(self, tmp_path: Path, suffix: str) -> None:
        data = COMPRESS[suffix](KOREAN.encode())
        assert read(put(tmp_path / f"a{suffix}", data)) == KOREAN
        assert read(put(tmp_path / "without-suffix", data)) == KOREAN

    def test_members_of_gzip_are_read_on(self, tmp_path: Path) -> None:
        data = gzip.compress("가\n".encode()) + gzip.compress("나\n".encode())
        assert read(put(tmp_path / "a.gz", data)) == "가\n나\n"

    @pytest.mark.parametrize("suffix", COMPRESS)
    def test_cut_compressed_data(self, tmp_path: Path, suffix: str) -> None:
        data = COMPRESS[suffix](os.urandom(100_000).hex().encode())
        path = put(tmp_path / f"a{suffix}", data[: len(data) // 2])
        with pytest.raises(FormatError, match="ends too early"):
            read(path)

    @pytest.mark.parametrize("suffix", COMPRESS)
    def test_damaged_compressed_data(self, tmp_path: Path, suffix: str) -> None:
        data = bytearray(COMPRESS[suffix](os.urandom(100_000).hex().encode()))
        data[50_000:50_100] = bytes(100)
        with pytest.raises(FormatError, match="damaged") as caught:
            read(put(tmp_path / f"a{suffix}", bytes(data)))
        assert caught.value.path.endswith(suffix)

    @pytest.mark.parametrize("suffix", COMPRESS)
    def test_suffix_without_compression(self, tmp_path: Path, suffix: str) -> None:
        with pytest.raises(FormatError, match="named"):
            Source(put(tmp_path / f"a{suffix}", b"plain\n"))

    @pytest.mark.parametrize("text", ["BZhang9 is a name\n", "BZh91AY&SY", f"BZh91AY&SY{KOREAN}"])
    def test_text_that_begins_like_bzip2(self, tmp_path: Path, text: str) -> None:
        assert read(put(tmp_path / "a.txt", text.encode())) == text

    @pytest.mark.parametrize(
        ("text", "encoding"),
        [
            (KOREAN, "utf-8"),
            (KOREAN, "cp949"),
            (KOREAN, "utf-16-le"),
            (KOREAN, "utf-16-be"),
            ("가\n", "utf-16-le"),
            ("가\n", "utf-16-be"),
            ("A\n", "utf-16-le"),
            ("A\n", "utf-16-be"),
            ("뷁을 똠방각하라 쓰다\n", "cp949"),
            ("읽다\0쓰다\n", "utf-8"),
            ("읽다\0쓰다\n", "cp949"),
            # Damage that reads better as UTF-16.
            ("읽다\n" + "a\0" * 200, "utf-8"),
        ],
    )
    def test_guess(self, tmp_path: Path, text: str, encoding: str) -> None:
        data = text.encode(encoding)
        assert guess_encoding(data) == encoding
        with Source(put(tmp_path / "a", data)) as source:
            assert source.text() == text
            assert source.encoding == encoding

    @pytest.mark.parametrize("encoding", ["utf-8", "cp949"])
    def test_guess_waits_for_the_first_korean(self, tmp_path: Path, encoding: str) -> None:
        text = "<header/>\n" * (BLOCK // 5) + KOREAN
        with Source(put(tmp_path / "a", text.encode(encoding))) as source:
            assert source.text() == text
            assert source.encoding == encoding

    @pytest.mark.parametrize("encoding", ["utf-8", "cp949", "utf-16-le"])
    def test_guess_where_the_block_cuts_a_character(self, tmp_path: Path, encoding: str) -> None:
        text = "a" + "가나다라마바사\n" * (BLOCK // 8)
        assert read(put(tmp_path / "a", text.encode(encoding))) == text

    @pytest.mark.parametrize(
        ("beginning", "kind"),
        [
            (b"PK\3\4\x14\0\6\0\b\0\0\0", "a ZIP archive, such as"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0", "an office document, such as .hwp"),
            (b"PAR1\x15\x04\x15", "a table of Parquet"),
            (b"\xff\xff\xff\xff\x10\x01", "a table of Arrow"),
            (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
            (b"x\x9c\xcd\x9a\xd8\xff\xfe\x01", "such as .spacy, which `ner convert` reads"),
        ],
    )
    def test_files_that_are_no_text(self, tmp_path: Path, beginning: bytes, kind: str) -> None:
        path = put(tmp_path / "a", beginning)
        with pytest.raises(EncodingError, match=f"this is no text, but .*{kind}"):
            read(path)

    def test_undecodable_byte(self, tmp_path: Path) -> None:
        data = "가나\n다".encode() + b"\xff" + "라\n".encode()
        with pytest.raises(EncodingError) as caught:
            read(put(tmp_path / "a.txt", data))
        assert caught.value.line == 2
        assert "0xFF at offset 10" in caught.value.message
        assert "utf-8 or cp949" in caught.value.message
        assert "--encoding" in caught.value.message

    def test_undecodable_byte_far_behind(self, tmp_path: Path) -> None:
        good = "가나다라\r\n".encode() * (BLOCK // 7)
        with pytest.raises(EncodingError, match=f"0xB0 at offset {len(good)} ") as caught:
            read(put(tmp_path / "a.txt", good + "가나".encode("cp949")))
        assert caught.value.line == good.count(b"\n") + 1

    def test_character_cut_at_the_end(self, tmp_path: Path) -> None:
        with pytest.raises(EncodingError, match="offset 3 "):
            read(put(tmp_path / "a.txt", "가나".encode()[:-1]), encoding="utf-8")

    def test_given_encoding_must_fit(self, tmp_path: Path) -> None:
        with pytest.raises(EncodingError, match="as utf-8;"):
            read(put(tmp_path / "a.txt", KOREAN.encode("cp949")), encoding="utf-8")

    @pytest.mark.parametrize("name", ["klingon", "rot13", "base64", "", "a\0b"])
    def test_unknown_encoding(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(UsageError, match="encoding"):
            Source(put(tmp_path / "a.txt", b""), encoding=name)

    def test_head_is_read_again(self, tmp_path: Path) -> None:
        with Source(put(tmp_path / "a", KOREAN.encode())) as source:
            assert source.head() == KOREAN
            assert source.head() == KOREAN
            assert "\n".join([*source.lines(), ""]) == KOREAN
            assert source.head() == ""

    def test_empty_file(self, tmp_path: Path) -> None:
        with Source(put(tmp_path / "a", b"")) as source:
            assert source.head() == ""
            assert list(source.lines()) == []

    def test_longest_line(self, tmp_path: Path) -> None:
        text = "가\n" + "a" * MAX_LINE + "\n나"
        with Source(put(tmp_path / "a", text.encode())) as source:
            assert [len(line) for line in source.lines()] == [1, MAX_LINE, 1]

    @pytest.mark.parametrize("tail", ["", "\n", "\n나\n"])
    def test_line_too_long(self, tmp_path: Path, tail: str) -> None:
        text = "가\n\n" + "a" * (MAX_LINE + 1) + tail
        with (
            Source(put(tmp_path / "a", text.encode())) as source,
            pytest.raises(FormatError, match="longer than") as caught,
        ):
            list(source.lines())
        assert caught.value.line == 3

    def test_bomb_of_one_line_needs_little_memory(self, tmp_path: Path) -> None:
        path = tmp_path / "bomb.gz"
        with gzip.open(path, "wb", compresslevel=1) as stream:
            for _ in range(300):
                stream.write(b"a" * (1 << 20))
        code = """if 1:
            import resource, sys
            from sejongud.errors import FormatError
            from sejongud.files import Source
            resource.setrlimit(resource.RLIMIT_AS, (250 << 20, 250 << 20))
            try:
                for line in Source(sys.argv[1]).lines(): pass
            except FormatError as error: print(error.line)
        """
        result = run(code, path)
        assert (result.stdout, result.stderr) == (b"1\n", b"")

    def test_directory_and_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(IsADirectoryError):
            Source(tmp_path)
        with pytest.raises(FileNotFoundError):
            Source(tmp_path / "nothing")

    def test_standard_input_that_comes_byte_by_byte(self) -> None:
        code = "from sejongud.files import Source; print(ascii(list(Source('-').lines())))"
        with subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for byte in gzip.compress(KOREAN.encode("cp949")):
                process.stdin.write(bytes([byte]))
                process.stdin.flush()
            process.stdin.close()
            assert process.stdout.read().decode().strip() == ascii(KOREAN.splitlines())

    def test_closed_standard_input(self) -> None:
        code = "import sys; sys.stdin = None; from sejongud.files import Source; Source('-')"
        assert b"OSError: [Errno 9]" in run(code).stderr

    def test_files_are_closed(self, tmp_path: Path) -> None:
        # Warnings are errors: an open file would show.
        for _ in range(2):
            with Source(put(tmp_path / "a", b"a\n")) as source:
                next(source.lines())


class TestWriting:
    @given(text=texts, suffix=st.sampled_from(["", *COMPRESS]))
    def test_any_text_comes_back(self, scratch: Path, text: str, suffix: str) -> None:
        path = scratch / f"out{suffix}"
        with atomic_output(path) as stream:
            stream.write(text)
        assert read(path, encoding="utf-8") == text

    def test_bytes(self, tmp_path: Path) -> None:
        with atomic_output(tmp_path / "a") as stream:
            stream.write("가\nㄴ\r\n")
        assert (tmp_path / "a").read_bytes() == "가\nㄴ\r\n".encode()

    @pytest.mark.parametrize("suffix", COMPRESS)
    def test_compressed_bytes_repeat(self, tmp_path: Path, suffix: str) -> None:
        for name in ("a", "b"):
            with atomic_output(tmp_path / f"{name}{suffix}") as stream:
                stream.write(KOREAN)
        first, second = (tmp_path / f"{name}{suffix}" for name in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()
        if suffix == ".gz":
            assert first.read_bytes()[4:8] == bytes(4)

    @pytest.mark.parametrize("name", ["a.txt", "a.gz", "a.xz", "a.bz2", "가" * 80])
    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
    def test_exception_leaves_nothing(
        self, tmp_path: Path, name: str, error: type[BaseException]
    ) -> None:
        (tmp_path / "old.txt").write_text("old")
        with pytest.raises(error), atomic_output(tmp_path / name) as stream:
            stream.write("half")
            stream.flush()
            raise error
        assert names(tmp_path) == ["old.txt"]

    def test_exception_keeps_what_was_there(self, tmp_path: Path) -> None:
        path = put(tmp_path / "a", b"old")
        with pytest.raises(ValueError, match="no"), atomic_output(path) as stream:
            stream.write("new")
            raise ValueError("no")
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == ["a"]

    def test_nothing_is_seen_before_the_end(self, tmp_path: Path) -> None:
        with atomic_output(tmp_path / "a.txt") as stream:
            stream.write("half")
            stream.flush()
            assert not (tmp_path / "a.txt").exists()
            (hidden,) = names(tmp_path)
            assert hidden.startswith(".a.txt.")
            assert hidden.endswith(".tmp")
        assert names(tmp_path) == ["a.txt"]

    def test_output_may_be_the_input(self, tmp_path: Path) -> None:
        text = "가나다\n" * BLOCK
        path = put(tmp_path / "a", text.encode())
        with Source(path) as source, atomic_output(path) as stream:
            for chunk in source.chunks():
                stream.write(chunk.replace("나", "너"))
        assert path.read_text("utf-8") == text.replace("나", "너")

    def test_mode_of_a_new_file(self, tmp_path: Path) -> None:
        before = os.umask(0o027)
        try:
            with atomic_output(tmp_path / "a") as stream:
                stream.write("")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640

    def test_mode_of_an_old_file(self, tmp_path: Path) -> None:
        path = put(tmp_path / "a", b"")
        path.chmod(0o604)
        with atomic_output(path) as stream:
            stream.write("new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
        assert path.read_bytes() == b"new"

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
    def test_file_that_may_not_be_written(self, tmp_path: Path) -> None:
        path = put(tmp_path / "a", b"old")
        path.chmod(0o444)
        with pytest.raises(PermissionError), atomic_output(path):
            pass

    def test_link_is_followed(self, tmp_path: Path) -> None:
        (tmp_path / "there").mkdir()
        link = tmp_path / "link"
        link.symlink_to(Path("there", "a"))
        for text in ("new", "newer"):  # the target is not there; it is there
            with atomic_output(link) as stream:
                stream.write(text)
            assert link.is_symlink()
            assert (tmp_path / "there" / "a").read_text() == text

    @pytest.mark.parametrize("name", ["", "nothing/a", "there", "new/"])
    def test_what_cannot_be_a_file(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "there").mkdir()
        path = f"{tmp_path}/{name}"
        with pytest.raises(OSError) as caught, atomic_output(path):
            pytest.fail("the block must not begin")
        assert caught.value.filename == path
        assert names(tmp_path) == ["there"]

    def test_full_disk_names_the_file(self, tmp_path: Path) -> None:
        with pytest.raises(OSError, match="No space") as caught, atomic_output("/dev/full") as out:
            out.write(KOREAN)
        assert caught.value.filename == "/dev/full"

    def test_file_too_large(self, tmp_path: Path) -> None:
        # A limit on the size of files is as good as a full disk.
        code = """if 1:
            import resource, signal, sys
            from sejongud.files import atomic_output
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            try:
                with atomic_output(sys.argv[1]) as stream:
                    for _ in range(100): stream.write("가" * 10_000)
            except OSError as error: print(error.filename == sys.argv[1])
        """
        for name in ("a.txt", "a.gz", "a.xz", "a.bz2"):
            code_ = code.replace('"가" * 10_000', "__import__('os').urandom(9_999).hex()")
            result = run(code_, tmp_path / name)
            assert (result.stdout, result.stderr) == (b"True\n", b"")
        assert names(tmp_path) == []

    def test_device(self) -> None:
        with atomic_output("/dev/null") as stream:
            stream.write("a")
        assert not Path("/dev/null").is_file()

    def test_named_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as cat:
            with atomic_output(tmp_path / "pipe") as stream:
                stream.write(KOREAN)
            assert cat.stdout is not None
            assert cat.stdout.read() == KOREAN.encode()
        assert names(tmp_path) == ["pipe"]

    @pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no folder in memory")
    def test_a_file_in_the_folder_in_memory_appears_whole(self) -> None:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            path = Path(folder, "out")
            with suppress(ZeroDivisionError), atomic_output(path) as out:
                out.write("half")
                raise ZeroDivisionError
            assert not path.exists()

    @pytest.mark.parametrize("name", ["-", "/dev/stdout"])
    def test_standard_output(self, tmp_path: Path, name: str) -> None:
        code = """if 1:
            import sys
            from sejongud.files import atomic_output
            with atomic_output(sys.argv[1]) as stream: stream.write("b")
        """
        out = put(tmp_path / "out", b"a")
        with out.open("ab") as stream:
            subprocess.run([sys.executable, "-c", code, name], stdout=stream, check=True)
        assert out.read_bytes() == b"ab"


def test_reading_is_fast(tmp_path: Path) -> None:
    # A bound that only a wrong algorithm misses: the lines of 30 MB, one at a time.
    text = "BTAA0001-00000001\t나는\t나/NP+는/JX\n" * 600_000
    path = put(tmp_path / "a", text.encode())
    begun = time.process_time()
    with Source(path) as source:
        assert sum(1 for _ in source.lines()) == 600_000
    assert time.process_time() - begun < 2


def test_progress_only_on_a_terminal(tmp_path: Path) -> None:
    code = """if 1:
        import sys
        from sejongud.files import Source
        with Source(sys.argv[1], progress=True) as source: print(len(source.text()))
        print("tqdm" in sys.modules)
    """
    path = put(tmp_path / "a", b"a" * 3_150_000)
    result = run(code, path)
    assert result.stdout.split() == [b"3150000", b"False"]
    assert result.stderr == b""

    main, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=terminal, stderr=terminal):
        os.close(terminal)
        shown = b""
        with suppress(OSError):  # so the end of a terminal looks
            while True:
                shown += os.read(main, 100_000)
    os.close(main)
    assert b"0.00/3.15M" in shown
    assert b"True" in shown
