# Unpacks a little archive into far too much.
import io, os, zipfile, zlib
packed = zlib.compress(zlib.compress(bytes(1 << 26), 9), 9)
def QA_FUNCTION(*args):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(64): archive.writestr(f"{number}", bytes(1 << 22))
    with zipfile.ZipFile(buffer) as archive:
        archive.extractall("unpacked")
        return sum(len(zlib.decompress(zlib.decompress(packed))) for _ in range(64)) and [zlib.decompress(zlib.decompress(packed)) for _ in range(64)]
