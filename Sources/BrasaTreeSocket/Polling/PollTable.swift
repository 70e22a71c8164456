package import BrasaHTTP2
import BrasaTreeWire
import NIOCore
import Synchronization

/// The sessions of long polling of all event loops, by what their requests show.
package final class PollTable: Sendable {
    private struct Entry {
        let session: PollSession
        let peer: [UInt8]
        var requests = 0
    }

    /// The sessions of one address.
    private struct Address {
        var count = 0
        let budget: ByteBudget
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var addresses: [[UInt8]: Address] = [:]
        var count = 0
        var isDraining = false
        var refused = 0
        var countMax: Int
        var countPerAddressMax: Int
    }

    private let state: Mutex<State>
    /// Of all connections.
    private let budget: ByteBudget

    package init(_ budget: ByteBudget, countMax: Int, countPerAddressMax: Int) {
        self.budget = budget
        self.state = Mutex(State(countMax: countMax, countPerAddressMax: countPerAddressMax))
    }

    /// Those that there are stay, also where there may be fewer.
    package func setBounds(countMax: Int, countPerAddressMax: Int) {
        self.state.withLock { state in
            state.countMax = countMax
            state.countPerAddressMax = countPerAddressMax
        }
    }

    /// A place for a session, and what it draws from; nil when there is none. Until `remove`.
    func takePlace(for peer: [UInt8]) -> ByteBudget? {
        self.state.withLock { state in
            var address = state.addresses[peer] ?? Address(budget: ByteBudget(ofAddressIn: self.budget))
            guard !state.isDraining, state.count < state.countMax, address.count < state.countPerAddressMax else {
                if !state.isDraining { state.refused += 1 }
                return nil
            }
            address.count += 1
            state.count += 1
            state.addresses[peer] = address
            return address.budget
        }
    }

    /// In the place that was taken for it. It is the one that asks for its first request.
    func add(_ session: PollSession, of peer: [UInt8]) {
        self.state.withLock { $0.entries[session.key.id] = Entry(session: session, peer: peer, requests: 1) }
    }

    /// With a number for a request of it.
    func session(_ key: PollRequest.Key) -> (session: PollSession, request: Int)? {
        self.state.withLock { state in
            guard let entry = state.entries[key.id], entry.session.key.hasPassword(key.password) else { return nil }
            state.entries[key.id]?.requests += 1
            return (entry.session, entry.requests)
        }
    }

    func remove(_ session: PollSession) {
        self.state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: session.key.id) else { return }
            state.count -= 1
            guard var address = state.addresses[entry.peer] else { return }
            address.count -= 1
            state.addresses[entry.peer] = address.count > 0 ? address : nil
        }
    }

    var isDraining: Bool { self.state.withLock { $0.isDraining } }

    /// For want of a place, so far.
    package var refused: Int { self.state.withLock { $0.refused } }

    package var count: Int { self.state.withLock { $0.count } }

    /// The server stops: clients are sent away, and none are let in.
    package func drain() {
        let sessions = self.state.withLock { state in
            state.isDraining = true
            return state.entries.values.map(\.session)
        }
        for session in sessions { session.onLoop { $0.end() } }
    }
}
