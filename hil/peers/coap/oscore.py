"""The CoAP server under OSCORE (RFC 8613), by aiocoap's implementation.

The devices of a trial share the input parameters but for their Sender IDs, so a context is derived
for each ID that a request names. A server that has started again has lost its replay windows: it
asks for a fresh request by an Echo option (appendix B.1.2).
"""

from __future__ import annotations

import json
import logging

import aiocoap
import aiocoap.error
import aiocoap.interfaces
import aiocoap.oscore
import aiocoap.pipe

from hil.base.paths import ROOT
from hil.peers.coap import server
from hil.peers.log import Log

SETTINGS = ROOT / "data" / "oscore" / "settings.json"
_WINDOW = 32  # RFC 8613, section 3.2.2
_LOG = logging.getLogger(__name__)


class Context(
    aiocoap.oscore.CanProtect,
    aiocoap.oscore.CanUnprotect,
    aiocoap.oscore.SecurityContextUtils,
):
    """The server's context with one device.

    Args:
        settings: in aiocoap's form (data/oscore/settings.json).
        recipient_id: the device's Sender ID.
        echo: what a request has to repeat before its number is believed; None: all numbers are new.
    """

    def __init__(self, settings: dict[str, str], recipient_id: bytes, echo: bytes | None) -> None:
        self.alg_aead = aiocoap.oscore.algorithms[settings["algorithm"]]
        self.hashfun = aiocoap.oscore.hashfunctions[settings["kdf-hashfun"]]
        self.sender_id = settings["sender-id_ascii"].encode("ascii")
        self.recipient_id, self.id_context = recipient_id, None
        self.derive_keys(bytes.fromhex(settings["salt_hex"]), bytes.fromhex(settings["secret_hex"]))
        self.sender_sequence_number = 0
        self.recipient_replay_window = aiocoap.oscore.ReplayWindow(_WINDOW, lambda: None)
        self.echo_recovery = echo
        if echo is None:
            self.recipient_replay_window.initialize_empty()

    def post_seqnoincrease(self) -> None:
        """Keep nothing: a response has no number of its own here, it uses its request's nonce."""


class Site(aiocoap.interfaces.Resource):
    """Serves `inner` under OSCORE, and nothing without.

    Args:
        inner: the resources.
        settings: see Context.
        echo: see Context.
    """

    def __init__(
        self, inner: aiocoap.interfaces.Resource, settings: dict[str, str], echo: bytes | None
    ) -> None:
        self._inner, self._settings, self._echo = inner, settings, echo
        self._contexts: dict[bytes, Context] = {}

    async def needs_blockwise_assembly(self, request: aiocoap.Message) -> bool:
        """Return whether aiocoap collects blocks before `render`, which is not used."""
        return False

    async def render(self, request: aiocoap.Message) -> aiocoap.Message:
        """Not used: requests come through `render_to_pipe`."""
        raise NotImplementedError

    def _context(self, kid: bytes) -> Context:
        if kid == self._settings["sender-id_ascii"].encode("ascii"):
            raise aiocoap.error.Unauthorized("Security context not found")
        if kid not in self._contexts:
            self._contexts[kid] = Context(self._settings, kid, self._echo)
        return self._contexts[kid]

    async def render_to_pipe(self, pipe: aiocoap.pipe.Pipe) -> None:
        """Answer a request as section 8.2 says; refusals are unprotected but for the Echo."""
        request = pipe.request
        try:
            option = aiocoap.oscore.verify_start(request)
        except aiocoap.oscore.NotAProtectedMessage:
            raise aiocoap.error.Unauthorized("OSCORE only") from None
        except aiocoap.oscore.ProtectionInvalid:
            raise aiocoap.error.BadOption("Failed to decode COSE") from None
        context = self._context(option.get(aiocoap.oscore.COSE_KID, b""))
        try:
            plain, bound = context.unprotect(request)
        except aiocoap.oscore.ReplayErrorWithEcho as error:
            pipe.add_response(error.to_message(), is_last=True)
            return
        except aiocoap.oscore.ReplayError:
            raise aiocoap.error.Unauthorized("Replay detected") from None
        except aiocoap.oscore.DecodeError:
            raise aiocoap.error.BadOption("Failed to decode COSE") from None
        except aiocoap.oscore.ProtectionInvalid:
            raise aiocoap.error.BadRequest("Decryption failed") from None
        # What the transport says of a message is not in the ciphertext.
        plain.mtype, plain.mid, plain.token = request.mtype, request.mid, request.token
        plain.remote = request.remote
        inside = aiocoap.pipe.IterablePipe(plain)
        aiocoap.pipe.run_driving_pipe(
            aiocoap.pipe.error_to_message(inside, _LOG),
            self._inner.render_to_pipe(inside),
            name=f"response to {plain}",
        )
        async for event in inside:
            protected, _ = context.protect(event.message, bound)
            pipe.add_response(protected, is_last=event.is_last)
            if event.is_last:
                break


class OscoreServer(server.CoapServer):
    """See the module."""

    name = "oscore"
    _starts = 0

    def start_front(self) -> None:
        self._starts += 1
        super().start_front()

    def site(self, log: Log) -> aiocoap.interfaces.Resource:
        settings = json.loads(SETTINGS.read_text(encoding="utf-8"))
        # The same in each run of a trial, as its other random numbers are.
        echo = self._starts.to_bytes(8, "big") if self._starts > 1 else None
        return Site(super().site(log), settings, echo)
