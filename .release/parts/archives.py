"""Archives with the same bytes for the same content: sorted names, fixed times, no users."""

import gzip
import io
import tarfile
import zipfile
from pathlib import Path


def tar_gz(folder: Path, file: Path, time_s: int, *, top: str) -> None:
    """Pack a folder; its content is below `top` in the archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in [folder, *sorted(folder.rglob("*"))]:
            inner = path.relative_to(folder).as_posix()
            member = archive.gettarinfo(path, top if inner == "." else f"{top}/{inner}")
            member.uid = member.gid = 0
            member.uname = member.gname = "root"
            member.mtime = time_s
            member.mode = 0o755 if path.is_dir() or member.mode & 0o100 else 0o644
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as content:
                    archive.addfile(member, content)
            else:
                archive.addfile(member)
    file.parent.mkdir(parents=True, exist_ok=True)
    # By default, gzip would add the name and the time.
    file.write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def gz(content: bytes) -> bytes:
    """Return the content compressed by gzip, without a time."""
    return gzip.compress(content, mtime=0)


def zip_of(files: dict[str, bytes], file: Path) -> None:
    """Pack files by their names in the archive."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED)
