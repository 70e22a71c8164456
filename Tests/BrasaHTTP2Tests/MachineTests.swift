import NIOCore
import Testing

@testable import BrasaHTTP2

/// What the connection's parts decide, without a connection.
@Suite struct MachineTests {
    // MARK: Keepalive

    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private static func keepalive(_ restraint: HTTP2KeepaliveRestraint? = nil) -> KeepaliveMachine {
        KeepaliveMachine(HTTP2Keepalive(interval: .seconds(60), timeout: .seconds(20), restraint: restraint))
    }

    @Test func `A connection without keepalive waits for nothing`() {
        var machine = KeepaliveMachine(nil)
        #expect(machine.start() == .nothing)
        #expect(machine.streamOpened(now: Self.at(0)) == .nothing)
        #expect(machine.phase == .off)
    }

    @Test func `Silence is probed, and a PING without an answer is the end`() {
        var machine = Self.keepalive()
        #expect(machine.start() == .wait(.seconds(60)))
        machine.heard()
        #expect(machine.timerFired(hasStreams: false, now: Self.at(60)) == .wait(.seconds(60)))
        #expect(machine.timerFired(hasStreams: false, now: Self.at(120)) == .probe(.seconds(20)))
        #expect(machine.phase == .probing)
        machine.heard()
        #expect(machine.timerFired(hasStreams: false, now: Self.at(140)) == .wait(.seconds(60)))
        #expect(machine.timerFired(hasStreams: false, now: Self.at(200)) == .probe(.seconds(20)))
        #expect(machine.timerFired(hasStreams: false, now: Self.at(220)) == .close)
    }

    @Test func `With restraint nothing is probed without a stream, and the first call of a silent connection soon`() {
        var machine = Self.keepalive(HTTP2KeepaliveRestraint())
        _ = machine.start()
        #expect(machine.timerFired(hasStreams: false, now: Self.at(60)) == .nothing)
        #expect(machine.phase == .dormant)
        #expect(machine.streamOpened(now: Self.at(500)) == .wait(.seconds(1)))
        #expect(machine.streamOpened(now: Self.at(500)) == .nothing)
        #expect(machine.timerFired(hasStreams: true, now: Self.at(501)) == .probe(.seconds(20)))
    }

    @Test func `With restraint the third PING since the last message waits for its five minutes`() {
        var machine = Self.keepalive(HTTP2KeepaliveRestraint())
        _ = machine.start()
        var now: Int64 = 0
        for _ in 0..<2 {
            now += 60
            #expect(machine.timerFired(hasStreams: true, now: Self.at(now)) == .probe(.seconds(20)))
            machine.heard()
            now += 20
            #expect(machine.timerFired(hasStreams: true, now: Self.at(now)) == .wait(.seconds(60)))
        }
        #expect(machine.timerFired(hasStreams: true, now: Self.at(now + 60)) == .wait(.seconds(60)))
        #expect(machine.timerFired(hasStreams: true, now: Self.at(now + 280)) == .probe(.seconds(20)))
        machine.heard()
        machine.heardMessage()
        _ = machine.timerFired(hasStreams: true, now: Self.at(now + 300))
        #expect(machine.timerFired(hasStreams: true, now: Self.at(now + 360)) == .probe(.seconds(20)))
    }

    // MARK: Pumping

    @Test func `One turn is scheduled, none within a read batch or the pump itself`() {
        var machine = PumpMachine()
        #expect(machine.want() == true)
        #expect(machine.want() == false)
        machine.turnCame()
        #expect(machine.begin() == true)
        machine.look()
        #expect(machine.want() == false)
        #expect(machine.isWanted)
        #expect(machine.begin() == false)
        machine.end()
        machine.beginReading()
        #expect(machine.want() == false)
        machine.endReading()
        #expect(machine.begin() == true)
        machine.end()
        #expect(machine.want() == true)
    }

    // MARK: Streams that are gone

    private static func frame(_ kind: UInt8, on id: UInt32, end: Bool = false) -> FrameHeader {
        FrameHeader(bigEndian: UInt128(kind) << 40 | UInt128(end ? 1 : 0) << 32 | UInt128(id))
    }

    @Test func `Only what can have crossed a reset may come on a stream that is gone`() {
        var streams = PeerStreams()
        let noneOpen: (Int32) -> Bool = { _ in false }
        #expect(streams.mayBegin(Self.frame(1, on: 1), isOpen: noneOpen) == true)
        streams.noteRequest(1)
        streams.noteRequest(3)
        #expect(streams.mayBegin(Self.frame(0, on: 1), isOpen: noneOpen) == false)
        #expect(streams.mayBegin(Self.frame(0, on: 1), isOpen: { $0 == 1 }) == true)
        #expect(streams.mayBegin(Self.frame(3, on: 1), isOpen: noneOpen) == true)
        streams.noteReset(3)
        #expect(streams.mayBegin(Self.frame(0, on: 3), isOpen: noneOpen) == true)
        #expect(streams.mayBegin(Self.frame(0, on: 3, end: true), isOpen: noneOpen) == true)
        #expect(streams.mayBegin(Self.frame(0, on: 3), isOpen: noneOpen) == false)
        #expect(streams.mayBegin(Self.frame(8, on: 1), isOpen: noneOpen) == true)
    }

    @Test func `A request that got no stream was refused, and its body may be on its way`() {
        var streams = PeerStreams()
        streams.noteRequest(1)
        streams.beginRequest(3)
        #expect(streams.mayBegin(Self.frame(0, on: 3), isOpen: { _ in false }) == true)
        streams.noteRequest(5)
        streams.beginRequest(5)
        #expect(streams.mayBegin(Self.frame(0, on: 5), isOpen: { _ in false }) == false)
    }

    // MARK: Header blocks

    @Test func `A list is kept up to its bound, and counted beyond`() {
        var limits = HTTP2Limits()
        limits.headerListBytesMax = 200
        var block = HeaderBlockReceiving(limits)
        func append(_ count: Int) {
            let value = [UInt8](repeating: 7, count: count)
            value.withUnsafeBytes { value in
                Array("name".utf8).withUnsafeBytes { block.append($0, value) }
            }
        }
        block.begin(of: nil)
        append(64)
        append(64)
        #expect(block.size == .fits && block.list.count == 2)
        append(1)
        #expect(block.size == .tooLarge && block.list.count == 2)
        append(527)
        #expect(block.size == .tooLarge)
        append(1)
        #expect(block.size == .bomb)
        block.end()
        block.begin(of: nil)
        #expect(block.size == .fits && block.list.isEmpty)
    }

    // MARK: Who does not read

    @Test func `A connection is stuck when something waited at two looks and nothing left between`() {
        var watch = UnreadWatch()
        var seen: [Bool] = []
        for (sent, isWaiting) in [(0, true), (0, true), (5, true), (0, true), (0, false), (0, true)] {
            watch.sent(sent)
            seen.append(watch.look(isWaiting: isWaiting))
        }
        #expect(seen == [false, true, false, true, false, false])
    }

    // MARK: Known names

    @Test func `Known names are found wherever they stand, in lists of any making`() {
        let names: [HTTP2HeaderName] = [
            .method, .path, .scheme, .authority, .status, .contentType, .authorization, .grpcTimeout, .grpcEncoding,
            .grpcAcceptEncoding, .grpcStatus, .grpcMessage, .traceparent,
        ]
        for name in names {
            #expect(name.known != nil)
            let bytes = name.withBytes { Array($0) }
            let known = bytes.withUnsafeBytes { HTTP2KnownName($0) }
            #expect(known == name.known)
            // Names of equal length that differ in one letter.
            var other = bytes
            other[other.count - 1] ^= 1
            let unknown = other.withUnsafeBytes { HTTP2KnownName($0) }
            #expect(unknown == nil)
            var headers = HTTP2Headers([("x-first", "0")])
            headers.append(name: bytes, value: Array("1".utf8))
            headers.append(name, "2")
            #expect(headers.string(name) == "1")
            headers.removeAll()
            #expect(!headers.contains(name))
        }
    }
}
