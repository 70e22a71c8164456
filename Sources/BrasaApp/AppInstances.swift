internal import Synchronization

/// What a library hands out: one object for each app and name, the same one on every call, until it is forgotten or its
/// app is deleted.
package final class AppInstances<Instance: AnyObject & Sendable>: Sendable {
    private let entries = Mutex<[Key: Entry]>([:])
    /// Of programs that have configured no default app.
    private let unconfigured = FirebaseApp.unconfigured(projectID: nil)

    private struct Key: Hashable {
        /// Not its name: who still has an app that was deleted does not mean the next one of that name.
        let app: ObjectIdentifier
        let name: String
    }

    /// Holds the app, so that no other one has its identity.
    private struct Entry {
        let app: FirebaseApp
        let instance: Instance
    }

    /// - Parameters:
    ///   - call: by which the library hands them out.
    ///   - end: how one ends whose app has been deleted. It has been forgotten before.
    package init(_ call: String, end: @escaping @Sendable (Instance) async -> Void) {
        FirebaseApp.register(call) { app in
            self.isAnyHandedOut(app)
        } end: { app in
            for instance in self.forget(app) { await end(instance) }
        }
    }

    /// The app's object of a name, made at the first call.
    package func instance(of app: FirebaseApp, _ name: String, make: () -> Instance) -> Instance {
        self.entries.withLock { entries in
            let key = Key(app: ObjectIdentifier(app), name: name)
            if let known = entries[key] { return known.instance }
            let new = make()
            entries[key] = Entry(app: app, instance: new)
            return new
        }
    }

    /// An object of the default app, or of none where none is configured. No app is configured between the look for it and the
    /// object's making, which would then not know of it.
    package func ofDefaultApp(_ body: (FirebaseApp) -> Instance) -> Instance {
        FirebaseApp.withDefault { body($0 ?? self.unconfigured) }
    }

    /// The next call makes a new object.
    package func forget(_ instance: Instance) {
        self.entries.withLock { entries in
            for (key, entry) in entries where entry.instance === instance { entries[key] = nil }
        }
    }

    package var all: [Instance] { self.entries.withLock { $0.values.map(\.instance) } }

    /// Whether somebody has an object that found no app of this name.
    private func isAnyHandedOut(_ app: String) -> Bool {
        guard app == self.unconfigured.name else { return false }
        return self.entries.withLock { entries in entries.values.contains { $0.app === self.unconfigured } }
    }

    private func forget(_ app: FirebaseApp) -> [Instance] {
        self.entries.withLock { entries in
            let forgotten = entries.filter { $0.value.app === app }
            for key in forgotten.keys { entries[key] = nil }
            return forgotten.values.map(\.instance)
        }
    }
}
