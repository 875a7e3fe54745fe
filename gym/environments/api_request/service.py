import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qs, urlsplit

spec = json.load(sys.stdin)
pages = {page["cursor"]: page for page in spec["pages"]}
busy = {page["cursor"]: page["busy"] for page in spec["pages"]}
lock = Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        target = urlsplit(self.path)
        cursor = parse_qs(target.query).get("cursor", [""])[0]
        page = pages.get(cursor)
        if target.path != spec["path"] or page is None:
            self.answer(404, {"error": "no such thing"}, None)
        elif self.headers.get("X-Api-Key") != spec["key"]:
            self.answer(401, {"error": "X-Api-Key is missing or wrong"}, None)
        else:
            with lock:
                wait = busy[cursor] > 0
                busy[cursor] -= 1
            if wait:
                self.answer(503, {"error": "busy, ask again"}, cursor)
            else:
                self.answer(200, {"data": page["records"], "links": {"next": page["next"]}}, cursor)

    def answer(self, status, body, cursor):
        with lock:
            print(json.dumps({"path": self.path[:500], "cursor": cursor, "status": status}))
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("ready " + json.dumps({"API_URL": "http://127.0.0.1:%d" % server.server_port}))
server.serve_forever()
