"""Sigma proofs, key generation, ballots, threshold decryption: docs/spec/threshold.md."""

from . import aead
from .ed25519 import digest
from .encoding import Refused, require
from .ristretto import GENERATOR, IDENTITY, ORDER, multiply
from .transcript import Transcript

GROUP = b"ristretto255"
MAX_PARTIES, MAX_COLUMNS, MAX_POINTS = 255, 16, 1 << 26
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def encode(points):
    return b"".join(point.encode() for point in points)


def _sigma(transcript, kind):
    transcript.absorb("sigma", kind)
    transcript.absorb("group", GROUP)
    transcript.absorb("generator", GENERATOR.encode())


def knowledge_challenge(transcript, points, announcement):
    _sigma(transcript, b"knowledge/v1")
    transcript.absorb("points", encode(points))
    transcript.absorb("announcements", announcement.encode())
    return transcript.wide("c")


class Knowledge:
    """Of x_1..x_L with X_l = x_l·G."""

    def __init__(self, reader, name):
        self.announcement, self.response = reader.point(f"{name} T"), reader.scalar(f"{name} z")

    def verify(self, transcript, points):
        c = knowledge_challenge(transcript, points, self.announcement)
        powers = [pow(c, l, ORDER) for l in range(1, len(points) + 1)]
        return self.announcement == multiply([self.response, *powers], [GENERATOR, *points])


class Equality:
    """Of one x with X = x·G and Y = x·B."""

    def __init__(self, reader, name):
        self.announcements = [reader.point(f"{name} T_1"), reader.point(f"{name} T_2")]
        self.response = reader.scalar(f"{name} z")

    def verify(self, transcript, base, points):
        _sigma(transcript, b"equality/v1")
        transcript.absorb("base", base.encode())
        transcript.absorb("points", encode(points))
        transcript.absorb("announcements", encode(self.announcements))
        c, z = transcript.wide("c"), self.response
        expected = [multiply([c, z], [point, of]) for point, of in zip(points, (GENERATOR, base))]
        return self.announcements == expected


class Round1:
    def __init__(self, reader):
        self.author = reader.integer(2, "trustee")
        self.commitments = reader.points("C", reader.count("commitments", MAX_PARTIES))
        self.transport = reader.point("transport key")
        self.proofs = [Knowledge(reader, "proof of C_0"), Knowledge(reader, "proof of the transport key")]

    def holds(self, transcript, threshold):
        transcript.absorb("commitments", encode(self.commitments))
        transcript.absorb("transport key", self.transport.encode())
        if len(self.commitments) != threshold:
            return False
        secrets = [self.commitments[0], self.transport]
        if any(point.is_identity() for point in secrets):
            return False
        return all(proof.verify(transcript, [point]) for proof, point in zip(self.proofs, secrets))


class Round2:
    def __init__(self, reader):
        self.author = reader.integer(2, "dealer")
        self.shares = [
            (reader.integer(2, "recipient"), reader.point("E"), reader.take(48, "sealed share"))
            for _ in range(reader.count("shares", MAX_PARTIES))
        ]
        self.proof = Knowledge(reader, "proof of E")

    def holds(self, transcript, session, participants):
        transcript.absorb("session", session)
        for recipient, _, sealed in self.shares:
            transcript.absorb("recipient", recipient)
            transcript.absorb("sealed", sealed)
        others = [number for number in participants if number != self.author]
        points = [point for _, point, _ in self.shares]
        if [recipient for recipient, _, _ in self.shares] != others or any(p.is_identity() for p in points):
            return False
        return self.proof.verify(transcript, points)


class Round3:
    def __init__(self, reader):
        self.author, self.seen = reader.integer(2, "trustee"), reader.take(32, "digest of round 2")
        self.complaints = [
            (reader.integer(2, "dealer"), reader.point("K"), Equality(reader, "proof of K"))
            for _ in range(reader.count("complaints", MAX_PARTIES))
        ]
        dealers = [dealer for dealer, *_ in self.complaints]
        require(dealers == sorted(set(dealers)), "CV-4", "complaints out of order")


class KeyGeneration:
    """The rounds, as everybody computes them; `encodings` of valid messages make up digests."""

    def __init__(self, threshold, trustees, context):
        self.threshold, self.trustees, self.context = threshold, trustees, context
        self.params = threshold.to_bytes(2, "little") + trustees.to_bytes(2, "little")
        self.params += len(context).to_bytes(4, "little") + context

    def transcript(self, name, trustee):
        transcript = Transcript(name)
        transcript.absorb("group", GROUP)
        transcript.absorb("threshold", self.threshold)
        transcript.absorb("trustees", self.trustees)
        transcript.absorb("context", self.context)
        transcript.absorb("trustee", trustee)
        return transcript

    def end_round1(self, messages):
        """Messages by author, with their encodings; returns who is wrong, by which check."""
        start = lambda author: self.transcript("subrosa/dkg/round1/v1", author)
        valid = [(m, data) for m, data in messages if m.holds(start(m.author), self.threshold)]
        self.first = {m.author: m for m, _ in valid}
        encodings = b"".join(data for _, data in valid)
        self.digest1 = digest("shuffle/dkg/round1", GROUP + self.params + encodings)
        return self._ended(messages, valid, "TH-2")

    def end_round2(self, messages):
        start = lambda author: self.transcript("subrosa/dkg/round2/v1", author)
        who = sorted(self.first)
        valid = [(m, data) for m, data in messages if m.holds(start(m.author), self.digest1, who)]
        self.second = {m.author: m for m, _ in valid}
        self.dealers = sorted(self.second)
        self.digest2 = digest("shuffle/dkg/round2", self.digest1 + b"".join(data for _, data in valid))
        return self._ended(messages, valid, "TH-3")

    def end_round3(self, messages):
        valid = [(m, data) for m, data in messages if m.seen == self.digest2]
        wrong, enough = self._ended(messages, valid, "TH-4")
        self.dealers = sorted(self.second)
        for message, _ in valid:
            for complaint in message.complaints:
                who = self._judge(message.author, *complaint)
                wrong.append((who, "TH-4"))
                if who == complaint[0] and who in self.dealers:
                    self.dealers.remove(who)
        sums = [IDENTITY] * self.threshold
        for dealer in self.dealers:
            sums = [total + point for total, point in zip(sums, self.first[dealer].commitments)]
        powers = lambda j: [pow(j, k, ORDER) for k in range(self.threshold)]
        self.key = sums[0]
        self.verification = {j: multiply(powers(j), sums) for j in range(1, self.trustees + 1)}
        return wrong, enough and len(self.dealers) >= self.threshold and not self.key.is_identity()

    def _judge(self, accuser, dealer, shared, proof):
        """Who is wrong: the dealer if the share that K opens is bad, or else the accuser."""
        shares = self.second[dealer].shares if dealer in self.second else []
        share = next(((point, sealed) for recipient, point, sealed in shares if recipient == accuser), None)
        if share is None:
            return accuser
        (point, sealed), transport = share, self.first[accuser].transport
        transcript = self.transcript("subrosa/dkg/round3/v1", accuser)
        transcript.absorb("seen", self.digest2)
        transcript.absorb("dealer", dealer)
        if not proof.verify(transcript, point, [transport, shared]):
            return accuser
        data = self.digest1 + dealer.to_bytes(2, "little") + accuser.to_bytes(2, "little")
        info = b"subrosa/dkg/share/v1" + data + point.encode() + transport.encode()
        opened = aead.open_sealed(aead.hkdf(shared.encode(), info), data, sealed)
        value = None if opened is None else int.from_bytes(opened, "little")
        if value is None or value >= ORDER:
            return dealer
        powers = [pow(accuser, k, ORDER) for k in range(self.threshold)]
        expected = multiply(powers, self.first[dealer].commitments)
        return accuser if multiply([value], [GENERATOR]) == expected else dealer

    def _ended(self, messages, valid, check):
        """Who is wrong, by which check; and whether the round may be followed by another (TH-4)."""
        good = {m.author for m, _ in valid}
        return [(m.author, check) for m, _ in messages if m.author not in good], len(valid) >= self.threshold

    def key_set(self):
        out = len(GROUP).to_bytes(4, "little") + GROUP + self.threshold.to_bytes(2, "little")
        out += len(self.dealers).to_bytes(4, "little")
        out += b"".join(dealer.to_bytes(2, "little") for dealer in self.dealers) + self.key.encode()
        return out + self.trustees.to_bytes(4, "little") + encode(self.verification.values())


class Ballot:
    def __init__(self, reader):
        start = reader.at
        columns = reader.count("columns", MAX_COLUMNS)
        self.ciphertexts = [(reader.point("c1"), reader.point("c2")) for _ in range(columns)]
        self.proof = Knowledge(reader, "proof of plaintext")
        self.data = reader.data[start:reader.at]

    def firsts(self):
        return [first for first, _ in self.ciphertexts]

    def verify(self, columns, key, context, voter):
        """TH-5."""
        require(len(self.ciphertexts) == columns, "TH-5", "another number of columns")
        require(not any(first.is_identity() for first in self.firsts()), "TH-5", "a ciphertext is readable")
        transcript = ballot_transcript(context, voter, key, [second for _, second in self.ciphertexts])
        require(self.proof.verify(transcript, self.firsts()), "TH-5", "the proof of plaintext knowledge")

    def tracking_code(self):
        return code(digest("shuffle/ballot", self.data))


def ballot_transcript(context, voter, key, seconds):
    transcript = Transcript("subrosa/shuffle/ballot/v1")
    transcript.absorb("group", GROUP)
    transcript.absorb("context", context)
    transcript.absorb("voter", voter)
    transcript.absorb("key", key.encode())
    transcript.absorb("second components", encode(seconds))
    return transcript


def code(own):
    """The first 100 bits of a digest, for people."""
    bits = int.from_bytes(own, "big") >> 156
    symbols = "".join(CROCKFORD[bits >> shift & 31] for shift in range(95, -1, -5))
    return "-".join(symbols[at:at + 4] for at in range(0, 20, 4))


class PartialDecryption:
    def __init__(self, reader):
        self.trustee = reader.integer(2, "trustee")
        self.points = reader.points("D", reader.count("points", MAX_POINTS))
        self.proof = Equality(reader, "proof of decryption")

    def verify(self, keys, ciphertexts, context):
        """TH-7."""
        require(len(self.points) == len(ciphertexts), "TH-7", "another number of points")
        firsts = [first for first, _ in ciphertexts]
        own = keys.verification.get(self.trustee)
        require(own is not None, "TH-7", "no such trustee")
        transcript = Transcript("subrosa/shuffle/decrypt/v1")
        transcript.absorb("group", GROUP)
        transcript.absorb("context", context)
        transcript.absorb("keys", digest("shuffle/keys", keys.key_set()))
        transcript.absorb("c1", encode(firsts))
        transcript.absorb("trustee", self.trustee)
        transcript.absorb("X", own.encode())
        transcript.absorb("D", encode(self.points))
        w = transcript.shorts("w", len(firsts))
        base, image = multiply(w, firsts), multiply(w, self.points)
        require(self.proof.verify(transcript, base, [own, image]), "TH-7", "the proof of decryption")


def combine(partials, threshold, ciphertexts):
    """Any `threshold` partial decryptions open the list."""
    if len(partials) < threshold:
        raise Refused("EL-13", "too few partial decryptions")
    used = partials[:threshold]
    numbers = [partial.trustee for partial in used]
    opened = [second for _, second in ciphertexts]
    for partial in used:
        j, factor = partial.trustee, 1
        for m in numbers:
            if m != j:
                factor = factor * m * pow(m - j, -1, ORDER) % ORDER
        opened = [point - share * factor for point, share in zip(opened, partial.points)]
    return opened
