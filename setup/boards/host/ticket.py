#!/usr/bin/env python3
"""ticket.py FILE: asks GitHub for a runner that takes one job; what it starts with goes to FILE.

REPOSITORY is owner/name; the systemd credential `token` is a fine-grained personal access token
with the repository's permission "Administration" (write), which no job ever sees. GITHUB_API_URL
is another GitHub's, as in its workflows. Exit status 1 where GitHub refuses; where it does not
answer, it is asked again.
"""

import json
import os
import socket
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

LABELS = ["self-hosted", "thinwire-boards"]
PAUSE_S, ANSWER_S = 30.0, 60.0


def request() -> urllib.request.Request:
    github = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    token = Path(os.environ["CREDENTIALS_DIRECTORY"], "token").read_text().strip()
    wanted = {
        # no two runners of a repository have one name
        "name": f"{socket.gethostname()}-{os.environ['INVOCATION_ID'][:8]}",
        "runner_group_id": 1,
        "labels": LABELS,
    }
    return urllib.request.Request(
        f"{github}/repos/{os.environ['REPOSITORY']}/actions/runners/generate-jitconfig",
        json.dumps(wanted).encode(),
        {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"},
    )


def main() -> int:
    asked = request()
    while True:
        try:
            with urllib.request.urlopen(asked, timeout=ANSWER_S) as answer:
                configuration = json.load(answer)
            Path(sys.argv[1]).write_text(configuration["encoded_jit_config"])
            return 0
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                print(f"GitHub refuses: {error}: see REPOSITORY and the token", file=sys.stderr)
                return 1
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            print(f"GitHub does not answer: {error}", file=sys.stderr)
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    sys.exit(main())
