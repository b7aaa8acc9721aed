"""The CoAP server under OSCORE (RFC 8613), by aiocoap's implementation.

The devices of a trial share the input parameters but for their Sender IDs, so a context is derived
for each ID that a request names. A server that has started again has lost its replay windows: it
asks for a fresh request by an Echo option (appendix B.1.2). A device that has lost its context gets
a new one (appendix B.2), which aiocoap 0.4.17 does not do of its own.
"""

from __future__ import annotations

import json
import logging
from typing import Any

import aiocoap
import aiocoap.error
import aiocoap.interfaces
import aiocoap.oscore
import aiocoap.pipe
import cbor2

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
        id_context: the ID Context; None: there is none.
    """

    def __init__(
        self,
        settings: dict[str, str],
        recipient_id: bytes,
        echo: bytes | None,
        id_context: bytes | None = None,
    ) -> None:
        self.alg_aead = aiocoap.oscore.algorithms[settings["algorithm"]]
        self.hashfun = aiocoap.oscore.hashfunctions[settings["kdf-hashfun"]]
        self.sender_id = settings["sender-id_ascii"].encode("ascii")
        self.recipient_id, self.id_context = recipient_id, id_context
        self.derive_keys(bytes.fromhex(settings["salt_hex"]), bytes.fromhex(settings["secret_hex"]))
        self.sender_sequence_number = 0
        self.recipient_replay_window = aiocoap.oscore.ReplayWindow(_WINDOW, lambda: None)
        self.echo_recovery = echo
        if echo is None:
            self.recipient_replay_window.initialize_empty()

    @classmethod
    def _extract_encrypted0(cls, message: aiocoap.Message) -> tuple[Any, ...]:
        # The kid context has chosen this context; aiocoap would compare it, without its CBOR.
        serialized, protected, unprotected, ciphertext = super()._extract_encrypted0(message)
        unprotected.pop(aiocoap.oscore.COSE_KID_CONTEXT, None)
        return serialized, protected, unprotected, ciphertext

    def post_seqnoincrease(self) -> None:
        """Keep nothing: a response has no number of its own here, it uses its request's nonce."""


def _unwrap(kid_context: bytes) -> bytes | None:
    """Return what a byte string of CBOR holds (appendix B.2); None if it is none."""
    try:
        found = cbor2.loads(kid_context)
    except cbor2.CBORDecodeError:
        return None
    return found if isinstance(found, bytes) and cbor2.dumps(found) == kid_context else None


class Site(aiocoap.interfaces.Resource):
    """Serves `inner` under OSCORE, and nothing without.

    Args:
        inner: the resources.
        settings: see Context.
        echo: see Context.
        start: how often the server has started: its numbers for appendix B.2 follow from that, so
            that none comes again, and each run of a trial has the same.
    """

    def __init__(
        self,
        inner: aiocoap.interfaces.Resource,
        settings: dict[str, str],
        echo: bytes | None,
        start: int = 1,
    ) -> None:
        self._inner, self._settings, self._echo, self._start = inner, settings, echo, start
        self._contexts: dict[bytes, Context] = {}
        self._numbers: dict[bytes, set[bytes]] = {}  # R2 of unfinished runs, by Sender ID
        self._drawn = 0

    async def needs_blockwise_assembly(self, request: aiocoap.Message) -> bool:
        """Return whether aiocoap collects blocks before `render`, which is not used."""
        return False

    async def render(self, request: aiocoap.Message) -> aiocoap.Message:
        """Not used: requests come through `render_to_pipe`."""
        raise NotImplementedError

    def _context(self, kid: bytes, kid_context: bytes | None) -> tuple[Context, str]:
        """Return the context of a request, and its part in appendix B.2 ("": none)."""
        if kid == self._settings["sender-id_ascii"].encode("ascii"):
            raise aiocoap.error.Unauthorized("Security context not found")
        if kid not in self._contexts:
            self._contexts[kid] = Context(self._settings, kid, self._echo)
        known = self._contexts[kid]
        if kid_context is None or kid_context == known.id_context:
            return known, ""
        named = _unwrap(kid_context)
        if named is not None and named == known.id_context:
            return known, ""
        # A device that still names its context as it is, when the server has lost it.
        named = kid_context if named is None else named
        asks = not any(named.startswith(number) for number in self._numbers.get(kid, ()))
        return Context(self._settings, kid, None, named), "first" if asks else "third"

    def _give_number(self, first: Context, bound: Any) -> aiocoap.Message:
        """Return the response to request 1, with a number of the server's."""
        self._drawn += 1
        number = (self._start << 32 | self._drawn).to_bytes(8, "big")
        self._numbers.setdefault(first.recipient_id, set()).add(number)
        second = Context(self._settings, first.recipient_id, None, number + first.id_context)
        # A number of its own: the nonce of the request belongs to another context.
        bound.can_reuse_nonce = False
        refusal = aiocoap.Message(code=aiocoap.UNAUTHORIZED)
        protected, _ = second.protect(refusal, bound)
        # aiocoap names the ID Context in requests only. The option is not authenticated.
        *_, header, _ = second._uncompress(protected.opt.oscore, b"")
        header[aiocoap.oscore.COSE_KID_CONTEXT] = cbor2.dumps(number)
        protected.opt.oscore, _ = second._compress({}, header, b"")
        return protected

    async def render_to_pipe(self, pipe: aiocoap.pipe.Pipe) -> None:
        """Answer a request as section 8.2 says; refusals are unprotected but for the Echo."""
        request = pipe.request
        try:
            option = aiocoap.oscore.verify_start(request)
        except aiocoap.oscore.NotAProtectedMessage:
            raise aiocoap.error.Unauthorized("OSCORE only") from None
        except aiocoap.oscore.ProtectionInvalid:
            raise aiocoap.error.BadOption("Failed to decode COSE") from None
        kid = option.get(aiocoap.oscore.COSE_KID, b"")
        context, part = self._context(kid, option.get(aiocoap.oscore.COSE_KID_CONTEXT))
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
        if part == "first":
            pipe.add_response(self._give_number(context, bound), is_last=True)
            return
        if part == "third":
            self._contexts[kid] = context
            del self._numbers[kid]
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
        return Site(super().site(log), settings, echo, self._starts)
