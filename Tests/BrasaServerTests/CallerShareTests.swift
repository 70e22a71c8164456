import BrasaIdentity
import NIOCore
import Testing

@testable import BrasaServer

@Suite struct CallerShareTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func `After a rest there are as many calls at once as there may be in a second, then each in its time`() {
        let share = CallerShare(CallerBounds(.init(callsPerSecond: 4)))
        let start = 100 * Self.second
        for _ in 0..<4 { #expect(share.take(at: start) == nil) }
        #expect(share.take(at: start) == Self.second / 4)
        // Who is refused pays nothing for it.
        #expect(share.take(at: start + Self.second / 8) == Self.second / 8)
        #expect(share.take(at: start + Self.second / 4) == nil)
        #expect(share.take(at: start + Self.second / 4) != nil)
        // A longer rest gives no more than a second's.
        let later = start + 60 * Self.second
        #expect(share.isIdle(at: later))
        #expect((0..<10).count { _ in share.take(at: later) == nil } == 4)
        #expect(!share.isIdle(at: later))
    }

    @Test(arguments: [CallerBounds.Bound.streams, .listeners, .bytes])
    func `A caller has so many of a kind at a time, and who has some is not forgotten`(_ bound: CallerBounds.Bound) {
        let bounds = CallerBounds(.init(streams: 2, listeners: 2, bytes: 2))
        let shares = CallerShares(bounds)
        func one(_ key: CallerShares.Key) -> CallerClaim? {
            let claim = CallerClaim(shares.share(of: key, at: 0))
            let isTaken =
                switch bound {
                case .calls, .streams: claim.openStream()
                case .listeners: claim.setListeners(1)
                case .bytes: claim.setBytes(1)
                }
            return isTaken ? claim : nil
        }
        var claims = [one(.key([1])), one(.key([1]))]
        for number in 0..<10_000 { _ = shares.share(of: .user([], Array("\(number)".utf8)), at: 0) }
        #expect(claims.allSatisfy { $0 != nil } && one(.key([1])) == nil && bounds.refusals(bound) == 1)
        // Another caller.
        #expect(one(.key([2])) != nil)
        claims.removeFirst()
        #expect(one(.key([1])) != nil)
        // Calls are not bounded.
        #expect((0..<100).allSatisfy { _ in shares.share(of: .key([1]), at: 0).take(at: 0) == nil })
        #expect(CallerBounds.Bound.allCases.allSatisfy { $0 == bound || bounds.refusals($0) == 0 })
    }

    @Test func `A claim that grows past the bound stays as it was, and one that shrinks gives back`() {
        let share = CallerShare(CallerBounds(.init(listeners: 10)))
        let (one, other) = (CallerClaim(share), CallerClaim(share))
        #expect(one.setListeners(6) && !other.setListeners(5) && other.setListeners(4))
        #expect(!other.setListeners(5) && one.setListeners(5) && other.setListeners(5))
    }

    @Test func `Bounds that change hold at once, and what callers have stays`() {
        let bounds = CallerBounds()
        let share = CallerShare(bounds)
        let claims = (0..<3).map { _ in CallerClaim(share) }
        for claim in claims { #expect(claim.openStream()) }
        #expect(!share.boundsStreams && (0..<1_000).allSatisfy { _ in share.take(at: 0) == nil })
        bounds.set(.init(callsPerSecond: 2, streams: 3, bytes: 1))
        #expect(share.boundsStreams && share.boundsBytes)
        #expect(!CallerClaim(share).openStream() && claims[0].openStream())
        #expect([share.take(at: 0), share.take(at: 0), share.take(at: 0)] == [nil, nil, Self.second / 2])
        bounds.set(.init())
        #expect(CallerClaim(share).openStream() && share.take(at: 0) == nil)
    }

    @Test func `A caller has one share, and another caller another`() throws {
        let shares = CallerShares(CallerBounds(.init(callsPerSecond: 1)))
        let address = CallerShares.Key.address(PeerAddress(try SocketAddress(ipAddress: "10.0.0.1", port: 1)))
        let keys: [CallerShares.Key] = [
            address, .certificate([1]), .certificate([2]), .key([1]), .user([1], [1]), .user([1], [2]), .user([2], [1]),
        ]
        let found = keys.map { shares.share(of: $0, at: 0) }
        #expect(Set(found.map { ObjectIdentifier($0) }).count == keys.count)
        for (key, share) in zip(keys, found) { #expect(shares.share(of: key, at: 0) === share) }
    }

    @Test func `Those that nobody holds and that rest are forgotten, and no others`() {
        let shares = CallerShares(CallerBounds(.init(callsPerSecond: 1)))
        let held = shares.share(of: .key([0]), at: 0)
        _ = shares.share(of: .key([1]), at: 0).take(at: 10 * Self.second)
        for number in 2..<100_000 {
            _ = shares.share(of: .user([], Array("\(number)".utf8)), at: 0)
            #expect(shares.count <= 2_048)
        }
        #expect(shares.share(of: .key([0]), at: 0) === held)
        #expect(shares.share(of: .key([1]), at: 0).take(at: 10 * Self.second) != nil)
    }
}
