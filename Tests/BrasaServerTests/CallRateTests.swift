import BrasaIdentity
import NIOCore
import Testing

@testable import BrasaServer

@Suite struct CallRateTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func `After a rest there are as many calls at once as there may be in a second, then each in its time`() {
        let rate = CallRate(perSecond: 4)
        let start = 100 * Self.second
        for _ in 0..<4 { #expect(rate.take(at: start) == nil) }
        #expect(rate.take(at: start) == Self.second / 4)
        // Who is refused pays nothing for it.
        #expect(rate.take(at: start + Self.second / 8) == Self.second / 8)
        #expect(rate.take(at: start + Self.second / 4) == nil)
        #expect(rate.take(at: start + Self.second / 4) != nil)
        // A longer rest gives no more than a second's.
        let later = start + 60 * Self.second
        #expect(rate.isIdle(at: later))
        #expect((0..<10).count { _ in rate.take(at: later) == nil } == 4)
        #expect(!rate.isIdle(at: later))
    }

    @Test func `A caller has one rate, and another caller another`() throws {
        let rates = CallRates(perSecond: 1)
        let address = CallRates.Key.address(PeerAddress(try SocketAddress(ipAddress: "10.0.0.1", port: 1)))
        let keys: [CallRates.Key] = [address, .key([1]), .user([1], [1]), .user([1], [2]), .user([2], [1])]
        let found = keys.map { rates.rate(of: $0, at: 0) }
        #expect(Set(found.map { ObjectIdentifier($0) }).count == keys.count)
        for (key, rate) in zip(keys, found) { #expect(rates.rate(of: key, at: 0) === rate) }
    }

    @Test func `Those that nobody holds and that rest are forgotten, and no others`() {
        let rates = CallRates(perSecond: 1)
        let held = rates.rate(of: .key([0]), at: 0)
        _ = rates.rate(of: .key([1]), at: 0).take(at: 10 * Self.second)
        for number in 2..<100_000 {
            _ = rates.rate(of: .user([], Array("\(number)".utf8)), at: 0)
            #expect(rates.count <= 2_048)
        }
        #expect(rates.rate(of: .key([0]), at: 0) === held)
        #expect(rates.rate(of: .key([1]), at: 0).take(at: 10 * Self.second) != nil)
    }
}
