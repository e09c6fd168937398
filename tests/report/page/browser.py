"""A headless Chromium driven through its DevTools protocol, over a pipe: nothing but the standard library is needed."""

import json
import os
import shutil
import subprocess
import tempfile


def find_browser():
    """The program, or None if there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page at a time, without a network. Records console messages and requests."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory()
        to_browser, ours_out = os.pipe()
        ours_in, from_browser = os.pipe()

        def place_pipes():
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             "--force-device-scale-factor=1", f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.output, self.input = os.fdopen(ours_out, "wb", buffering=0), os.fdopen(ours_in, "rb", buffering=0)
        self.waiting, self.number, self.events = b"", 0, []
        target = self.call("Target.createTarget", {"url": "about:blank"}, session=None)["targetId"]
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True}, session=None)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        for stream in (self.output, self.input):
            stream.close()
        self.process.terminate()
        self.process.wait(timeout=30)
        self.profile.cleanup()

    def read_message(self):
        while b"\0" not in self.waiting:
            more = self.input.read(1 << 20)
            if not more:
                raise RuntimeError("the browser has gone away")
            self.waiting += more
        message, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(message)

    def call(self, method, parameters=None, session="own"):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session == "own":
            message["sessionId"] = self.session
        self.output.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read_message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width=1280, height=900, dark=False, media=""):
        """Loads a page and waits for it. Returns when its script has run."""
        self.go_to("about:blank")  # what the page before still has to say belongs to it
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.call("Emulation.setEmulatedMedia", {"media": media, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.go_to(url)

    def go_to(self, url):
        self.value("0")
        self.events.clear()
        self.call("Page.navigate", {"url": url})
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read_message())

    def value(self, expression):
        """The value of a JavaScript expression in the page, as JSON."""
        answer = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        """Errors and warnings of the console, exceptions, and refusals of the security policy, since the page was opened."""
        self.value("0")  # events until now have then been read
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(parameters["exceptionDetails"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(parameters["args"]))
        return found

    def requests(self):
        """Addresses that the page asked for, itself included."""
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]

    def screenshot(self, path, whole=True):
        import base64
        options = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        picture = self.call("Page.captureScreenshot", options)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
