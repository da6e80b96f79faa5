"""Small archives in the layouts of the public ones."""

import io
import tarfile


def write_tar(file, members):
    """Write a compressed tar archive of {path: bytes}."""
    with tarfile.open(file, "w:gz", compresslevel=1) as tar:
        for path, raw in members.items():
            member = tarfile.TarInfo(path)
            member.size = len(raw)
            tar.addfile(member, io.BytesIO(raw))
    return file


def sgml(number, text, topics=(), split="TRAIN", has_topics="YES", kind=""):
    """Return a document of Reuters-21578."""
    given = "".join(f"<D>{topic}</D>" for topic in topics)
    form = f' TYPE="{kind}"' if kind else ""
    return (
        f'<REUTERS TOPICS="{has_topics}" LEWISSPLIT="{split}" '
        f'CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="{number}">\n'
        "<DATE>26-FEB-1987 15:01:01.79</DATE>\n"
        f"<TOPICS>{given}</TOPICS>\n"
        "<PLACES><D>usa</D></PLACES>\n<PEOPLE></PEOPLE>\n"
        "<UNKNOWN> \n&#5;&#5;&#5;C T\n</UNKNOWN>\n"
        f"<TEXT{form}>&#2;\n{text}\n&#3;</TEXT>\n</REUTERS>\n"
    )


def titled(title, body):
    line = "<DATELINE>    LONDON, Feb 26 - </DATELINE>"
    return f"<TITLE>{title}</TITLE>\n{line}<BODY>{body}\n&#3;</BODY>"


def sgml_file(*documents):
    head = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
    return (head + "".join(documents)).encode("latin-1")
