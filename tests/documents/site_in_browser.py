# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Opens pages of a site in a headless Chromium and measures them.

A server of ours hands out the site, with a script at the head of each page that keeps what its console would show. One
page of the server's own opens all others in a frame of a given width, one after the other, and posts what it saw.

usage: site_in_browser.py SITE FOLDER      writes screenshots of a few pages to FOLDER
"""

import functools
import http.server
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SCHEMES = {"dark": 0, "light": 1}  # the browser's preferredColorScheme

KEEP_PROBLEMS = """<script>
window.problems = [];
addEventListener("error", e => problems.push(e.message || "cannot load " + (e.target.src || e.target.href)), true);
addEventListener("unhandledrejection", e => problems.push(String(e.reason)));
for (const level of ["error", "warn"]) {
  const say = console[level];
  console[level] = (...words) => { problems.push(words.join(" ")); say(...words); };
}
</script>"""

VISIT = """<!doctype html><meta charset="utf-8"><body style="margin: 0"><script>
const {pages, widths} = WHAT;
const wait = ms => new Promise(done => setTimeout(done, ms));
async function opened(address, width) {
  const frame = document.createElement("iframe");
  frame.style = `border: 0; height: 900px; width: ${width}px`;
  frame.src = address;
  const loaded = new Promise(done => frame.onload = done);
  document.body.append(frame);
  await loaded;
  await wait(30);
  return frame;
}
function scrolls(element) {
  for (let e = element.parentElement; e && e.tagName != "BODY"; e = e.parentElement)
    if (getComputedStyle(e).overflowX != "visible") return true;
  return false;
}
function measured(frame, page, width) {
  const view = frame.contentWindow, root = view.document.documentElement;
  const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = view.getComputedStyle(view.document.body).backgroundColor.match(/[\\d.]+/g).map(Number).map(linear);
  const over = root.scrollWidth - root.clientWidth;
  const wide = over <= 0 ? [] : [...view.document.querySelectorAll("article *")]
    .filter(e => e.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(e)).slice(0, 3).map(e => e.outerHTML.slice(0, 120));
  return {page, width, over, wide, problems: view.problems, luminance: 0.2126 * r + 0.7152 * g + 0.0722 * b};
}
async function found(words) {
  const frame = await opened("/search.html?q=" + words, 1280);
  const links = () => [...frame.contentDocument.querySelectorAll("#search-results li a")].map(a => a.href);
  for (let tries = 0; tries < 100 && links().length < 6; ++tries) await wait(100);
  return links();
}
(async () => {
  const seen = [];
  for (const page of pages) for (const width of widths) {
    const frame = await opened("/" + page, width);
    seen.push(measured(frame, page, width));
    frame.remove();
  }
  fetch("/seen", {method: "POST", body: JSON.stringify({pages: seen, found: await found("transpose")})});
})();
</script>"""


class Server(http.server.SimpleHTTPRequestHandler):
    what = None
    seen = None

    def do_GET(self):
        path = self.translate_path(self.path)
        if self.path == "/visit":
            self.answer(VISIT.replace("WHAT", json.dumps(self.what)))
        elif path.endswith(".html") and os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                self.answer(file.read().replace("<head>", "<head>" + KEEP_PROBLEMS, 1))
        else:
            super().do_GET()

    def do_POST(self):
        self.seen.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer("")

    def answer(self, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def browser(profile, scheme, *arguments):
    return [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
            f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", *arguments]


def visit(site, pages, widths, scheme):
    """{"pages": [..], "found": [..]} of the pages in frames of these widths, and of a search."""
    handler = type("SiteServer", (Server,), {"what": {"pages": pages, "widths": widths}, "seen": queue.Queue()})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=site)) as server, \
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/visit"
        with subprocess.Popen(browser(profile, scheme, "--window-size=1280,900", "--remote-debugging-port=0", address),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                return handler.seen.get(timeout=300)
            finally:
                process.terminate()
                process.wait()
                server.shutdown()


def main():
    site, folder = sys.argv[1:]
    for page in ("docs/index", "docs/api/operations", "docs/api/c", "docs/policies", "docs/faq", "README"):
        for scheme, width in (("light", 1280), ("dark", 1280), ("light", 500)):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                picture = os.path.join(folder, f"{page.replace('/', '-')}-{scheme}-{width}.png")
                subprocess.run(browser(profile, scheme, f"--window-size={width},1600", f"--screenshot={picture}",
                                       f"file://{os.path.abspath(site)}/{page}.html"), check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
