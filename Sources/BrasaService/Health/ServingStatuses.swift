package import BrasaMessages
import Synchronization

/// Whether the server and each of its services are serving, and who watches that. One for all event loops; thread-safe.
package final class ServingStatuses: Sendable {
    private struct State {
        var statuses: [String: ServingStatus] = [:]
        /// Watch calls that are open, by service. Each is a call, whose transport counts what its name takes.
        var watchers: [String: [ObjectIdentifier: HealthWatcher]] = [:]
    }

    private let state = Mutex(State())

    /// - Parameter serving: full names of services. The server as a whole is serving, too: its name is empty.
    package init(serving: [String] = []) {
        self.state.withLock { state in
            for service in [""] + serving { state.statuses[service] = .serving }
        }
    }

    /// Watchers hear of it on their event loops. One that is slow misses what was true in between, never the latest.
    package func set(_ status: ServingStatus, for service: String = "") {
        let watchers = self.state.withLock { state in
            state.statuses[service] = status
            return state.watchers[service]?.values.map { $0 } ?? []
        }
        for watcher in watchers { watcher.wake() }
    }

    /// Of the server, and of every service that has a status.
    package func setAll(_ status: ServingStatus) {
        for service in self.state.withLock({ Array($0.statuses.keys) }) { self.set(status, for: service) }
    }

    package func status(of service: String) -> ServingStatus? {
        self.state.withLock { $0.statuses[service] }
    }

    func add(_ watcher: HealthWatcher) {
        self.state.withLock { $0.watchers[watcher.name, default: [:]][ObjectIdentifier(watcher)] = watcher }
    }

    func remove(_ watcher: HealthWatcher) {
        self.state.withLock { state in
            state.watchers[watcher.name]?[ObjectIdentifier(watcher)] = nil
            if state.watchers[watcher.name]?.isEmpty == true { state.watchers[watcher.name] = nil }
        }
    }
}
