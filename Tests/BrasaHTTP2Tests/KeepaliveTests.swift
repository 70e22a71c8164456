import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

/// A client's PINGs as gRPC's servers want them. The clock is simulated, in seconds.
@Suite struct KeepaliveTests {
    /// A client and a server that answers every PING, unless it has died.
    final class Probed {
        let peer: RawPeer
        private(set) var now = 0
        /// When they came.
        private(set) var pings: [Int] = []
        private var seen = 0
        private var calls: [Recorder] = []
        var answers = true
        var onPing: () -> Void = {}

        init() throws {
            var configuration = HTTP2ClientConfiguration()
            configuration.keepalive = HTTP2Keepalive(
                interval: .seconds(30),
                timeout: .seconds(20),
                restraint: HTTP2KeepaliveRestraint()
            )
            self.peer = try RawPeer(.client(configuration))
            self.peer.send(.settings, .settingsAck)
        }

        var openCalls: Int { self.peer.connection.openStreams }

        func open() throws {
            let call = Recorder()
            call.stream = try self.peer.connection.openStream(call)
            call.stream?.sendHeaders(.request())
            self.peer.run()
            self.calls.append(call)
        }

        func endCalls() {
            for call in self.calls { call.stream?.reset(.cancel) }
            self.calls = []
            self.peer.run()
        }

        /// The server says something on the newest call.
        func answer() {
            guard let call = self.calls.last, let id = call.stream?.id else { return }
            self.peer.send(
                call.headers == nil ? .headers(UInt32(id), [(":status", "200")], end: false) : .data(UInt32(id), [1])
            )
        }

        func advance(by seconds: Int) {
            for _ in 0..<seconds where self.peer.channel.isActive {
                self.now += 1
                self.peer.loop.advanceTime(by: .seconds(1))
                self.peer.run()
                let pings = self.peer.frames.filter { $0.type == 6 && $0.flags == 0 }
                for ping in pings.dropFirst(self.seen) {
                    self.seen += 1
                    self.pings.append(self.now)
                    self.onPing()
                    if self.answers { self.peer.send(RawPeer.Frame(type: 6, flags: 1, payload: ping.payload)) }
                }
            }
        }
    }

    @Test func `A client without calls sends none`() throws {
        let probed = try Probed()
        defer { probed.peer.close() }
        probed.advance(by: 2 * 3600)
        #expect(probed.pings == [])
        try probed.open()
        probed.answer()
        probed.endCalls()
        probed.advance(by: 2 * 3600)
        #expect(probed.pings == [])
        #expect(probed.peer.channel.isActive)
    }

    @Test func `A silent call is probed twice after the interval, and then every five minutes`() throws {
        let probed = try Probed()
        defer { probed.peer.close() }
        try probed.open()
        probed.advance(by: 1000)
        // The server's SETTINGS were a sign of life. The next silence counts from the end of the time that an answer has.
        #expect(probed.pings == [60, 110, 430, 750])
    }

    @Test func `What the server says on a call begins a new count`() throws {
        let probed = try Probed()
        defer { probed.peer.close() }
        try probed.open()
        probed.advance(by: 180)
        #expect(probed.pings == [60, 110])
        probed.answer()
        probed.advance(by: 120)
        #expect(probed.pings == [60, 110, 220, 270])
    }

    @Test func `Connections whose server is gone are given up 20 seconds after the PING`() throws {
        let probed = try Probed()
        try probed.open()
        probed.answers = false
        probed.advance(by: 79)
        #expect(probed.pings == [60] && probed.peer.channel.isActive)
        probed.advance(by: 1)
        #expect(!probed.peer.channel.isActive)
    }

    @Test(arguments: [false, true])
    func `A call on a connection that was idle for long is not kept waiting`(isAlive: Bool) throws {
        let probed = try Probed()
        defer { probed.peer.close() }
        probed.advance(by: 3600)
        try probed.open()
        if isAlive { probed.answer() }
        probed.answers = false
        probed.advance(by: 21)
        #expect(probed.pings == (isAlive ? [] : [3601]))
        #expect(probed.peer.channel.isActive == isAlive)
    }

    /// What servers do that were set up in no special way: gRPC's proposal A9.
    struct UsualPolicy {
        var strikes = 0
        var lastPing: Int?

        mutating func sent() {
            self.strikes = 0
            self.lastPing = nil
        }

        mutating func pinged(at now: Int, hasCalls: Bool) {
            if let lastPing, now - lastPing < (hasCalls ? 300 : 7200) { self.strikes += 1 }
            self.lastPing = now
        }
    }

    @Test(arguments: 0..<50)
    func `Whatever is called and answered, a gRPC server's usual policy has no complaint`(seed: Int) throws {
        var random = SeededGenerator(seed)
        let probed = try Probed()
        defer { probed.peer.close() }
        var policy = UsualPolicy()
        var strikesMax = 0
        probed.onPing = {
            policy.pinged(at: probed.now, hasCalls: probed.openCalls > 0)
            strikesMax = max(strikesMax, policy.strikes)
        }
        for _ in 0..<200 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where probed.openCalls < 20: try probed.open()
            case 1: probed.endCalls()
            case 2 where probed.openCalls > 0:
                probed.answer()
                policy.sent()
            case 3: probed.peer.send(.settings)
            default: break
            }
            probed.advance(by: [1, 5, 29, 31, 120, 400].randomElement(using: &random) ?? 1)
        }
        #expect(probed.peer.channel.isActive)
        #expect(strikesMax <= 2)
    }

    @Test func `A server that complains of PINGs is told from one that ends for another reason`() throws {
        let cases: [(UInt32, String, Bool)] = [
            (11, "too_many_pings", true), (11, "", false), (11, "too_many_streams", false),
            (0, "too_many_pings", false),
        ]
        for (code, text, isForPings) in cases {
            let probed = try Probed()
            defer { probed.peer.close() }
            try probed.open()
            var heard: [Bool] = []
            let connection = probed.peer.connection
            connection.onDraining = { heard.append(connection.wasAskedForFewerPings) }
            let payload = RawPeer.bigEndian(1) + RawPeer.bigEndian(code) + Array(text.utf8)
            probed.peer.send(RawPeer.Frame(type: 7, payload: payload))
            #expect(heard == [isForPings], "\(code) \(text)")
        }
    }

    @Test func `After a complaint there are half as many`() {
        let keepalive = HTTP2Keepalive(
            interval: .seconds(30),
            timeout: .seconds(20),
            restraint: HTTP2KeepaliveRestraint()
        )
        #expect(keepalive.halved.interval == .seconds(60) && keepalive.halved.timeout == .seconds(20))
        #expect(keepalive.halved.restraint?.patientInterval == .minutes(10))
        #expect((0..<100).reduce(keepalive) { last, _ in last.halved }.interval == .hours(2))
    }
}
