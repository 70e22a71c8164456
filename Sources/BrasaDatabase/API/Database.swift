// Programs that import this library have `FirebaseApp` by that, and the same one by Firestore's library.
@_exported public import BrasaApp
internal import BrasaTree
public import Dispatch
internal import Foundation
internal import Synchronization

/// A Realtime Database: where references come from.
///
/// ```swift
/// let ref = Database.database().reference()
/// try await ref.child("users/ada/name").setValue("Ada")
/// ```
public final class Database: Sendable {
    /// Gives the token that says who asks, or nil for nobody. It is asked when there is no token yet, and with true when
    /// the server has refused the last one, or that one says that it ends soon (`exp` of a JWT): a connection stays open
    /// over the change.
    public typealias TokenProvider = @Sendable (_ isRefresh: Bool) async throws -> String?

    static let log = ClientLog("BrasaDatabase")

    private let owner: FirebaseApp
    let state: Mutex<State>

    struct State {
        var persistence = Persistence()
        var address: Result<DatabaseAddress, DatabaseFault>
        var callbackQueue: DispatchQueue?
        var tokenProvider: TokenProvider?
        var keyFile: String?
        var trustedRootsFile: String?
        /// Once it is used.
        var core: Result<DatabaseCore, DatabaseFault>?
        var isOffline = false
        var observers: [DatabaseHandle: Observer] = [:]
        var pushIDs = PushIDGenerator()
    }

    init(app: FirebaseApp, address: Result<DatabaseAddress, DatabaseFault>) {
        self.owner = app
        self.state = Mutex(State(address: address))
    }

    public var app: FirebaseApp? { self.owner }

    var address: Result<DatabaseAddress, DatabaseFault> { self.state.withLock { $0.address } }

    /// Where handlers are called: a serial queue, the main queue unless another was set. Stops the program after the first
    /// use.
    public var callbackQueue: DispatchQueue {
        get { self.state.withLock { $0.callbackQueue } ?? .main }
        set { self.configure("callbackQueue") { $0.callbackQueue = newValue } }
    }

    /// Where tokens come from. Emulators get none of them. Stops the program after the first use.
    public var tokenProvider: TokenProvider? {
        get { self.state.withLock { $0.tokenProvider } }
        set { self.configure("tokenProvider") { $0.tokenProvider = newValue } }
    }

    /// The path of a key file, as `brasa keys create` prints it: connections are those of the administrator that it names,
    /// with tokens that the client signs itself. Over TLS, or to a server on loopback; emulators get none of them. Where neither
    /// this nor ``tokenProvider`` is set, and the connection is encrypted, the one that `GOOGLE_APPLICATION_CREDENTIALS` names.
    /// A file that no token comes of is told in the log, and there is no connection. Stops the program after the first use.
    public var keyFile: String? {
        get { self.state.withLock { $0.keyFile } }
        set { self.configure("keyFile") { $0.keyFile = newValue } }
    }

    /// A file in PEM form with the certificates that vouch for the server; nil for those that the system trusts. Stops the
    /// program after the first use.
    public var trustedRootsFile: String? {
        get { self.state.withLock { $0.trustedRootsFile } }
        set { self.configure("trustedRootsFile") { $0.trustedRootsFile = newValue } }
    }

    /// Connects to a server without encryption, an emulator or a `brasa serve` nearby, as its administrator. The database
    /// keeps its name. Each use tells of a port that is none. Stops the program after the first use.
    public func useEmulator(withHost host: String, port: Int) {
        guard !host.isEmpty else { Self.log.stop("The emulator's host must not be empty.") }
        self.configure("useEmulator()") { state in
            state.address = state.address.flatMap { address in
                Result { () throws(DatabaseFault) in try address.emulated(host: host, port: port) }
            }
        }
    }

    func configure(_ name: String, _ change: (inout State) -> Void) {
        let isLate = self.state.withLock { state -> Bool in
            if state.core == nil { change(&state) }
            return state.core != nil
        }
        if isLate { Self.log.stop("\(name) can only be set before the Database is used.") }
    }

    /// The root.
    public func reference() -> DatabaseReference { DatabaseReference(self, .root) }

    /// A place below the root. What is no path is told when it is used.
    public func reference(withPath path: String) -> DatabaseReference { self.reference().child(path) }

    /// The place that a URL of this database names. Of other databases nothing can be read or written by it.
    public func reference(fromURL databaseUrl: String) -> DatabaseReference {
        let place: DatabasePlace
        do throws(DatabaseFault) {
            let other = try DatabaseAddress.split(databaseUrl)
            guard try other.address.isSame(as: self.address.get()) else {
                throw DatabaseFault("\(databaseUrl) is not of this database.")
            }
            place = other.path.isEmpty ? .root : DatabasePlace.root.child(other.path)
        } catch {
            place = .none(text: databaseUrl, error)
        }
        return DatabaseReference(self, place)
    }

    /// Closes the connection, until ``goOnline()``. What is written meanwhile is shown here, and sent then.
    public func goOffline() {
        let core = self.state.withLock { state in
            state.isOffline = true
            return state.core
        }
        if case .success(let core)? = core { core.goOffline() }
    }

    public func goOnline() {
        let core = self.state.withLock { state in
            state.isOffline = false
            return state.core
        }
        if case .success(let core)? = core { core.goOnline() }
    }

    /// Gives up all writes, transactions and requests for the connection's end that the server has not answered: what they
    /// showed goes, and whoever waits for them has an error with code 3. The server may have carried some of them out.
    public func purgeOutstandingWrites() {
        if case .success(let core) = self.core() { core.purge() }
    }

    /// Asks the provider for a token and tells the server of it: when who uses the program is another, or nobody any more.
    public func refreshToken() {
        if case .success(let core)? = self.state.withLock({ $0.core }) { core.changeToken() }
    }

    /// Writes more about connections to the log, or stops doing so.
    public class func setLoggingEnabled(_ enabled: Bool) { self.log.setDetailed(enabled) }

    /// This library's version.
    public class func sdkVersion() -> String { "0.1.0" }
}

extension Database {
    /// Made at the first use; after that settings stay.
    func core() -> Result<DatabaseCore, DatabaseFault> {
        self.state.withLock { state in
            if let core = state.core { return core }
            let queue = state.callbackQueue ?? .main
            let core = state.configuration(app: self.owner.name).map { configuration in
                DatabaseCore(configuration, queue: queue, isOffline: state.isOffline) { [weak self] observer in
                    self?.forget(observer)
                }
            }
            // What fails may not fail later: somebody else's cache may have been closed.
            if case .success = core { state.core = core }
            return core
        }
    }

    /// Nothing is read or written by it any more.
    func end() async {
        let core = self.state.withLock { state in
            let core = state.core
            state.core = .failure(DatabaseFault("The app of this database has been deleted."))
            return core
        }
        if case .success(let core)? = core { await core.end() }
    }

    /// Where handlers are called while there is no core.
    var handlerQueue: DispatchQueue { self.callbackQueue }

    func remember(_ observer: Observer) {
        self.state.withLock { $0.observers[observer.handle] = observer }
    }

    func forget(_ observer: Observer) {
        self.state.withLock { $0.observers[observer.handle] = nil }
    }

    /// Takes out observers that somebody removes.
    func takeObservers(where condition: (Observer) -> Bool) -> [Observer] {
        self.state.withLock { state in
            let taken = state.observers.values.filter(condition)
            for observer in taken { state.observers[observer.handle] = nil }
            return taken
        }
    }

    func takeObserver(_ handle: DatabaseHandle, where condition: (Observer) -> Bool) -> Observer? {
        self.state.withLock { state in
            guard let observer = state.observers[handle], condition(observer) else { return nil }
            state.observers[handle] = nil
            return observer
        }
    }

    func nextPushID() -> TreeKey {
        let known = self.state.withLock { $0.core }
        var offset: Int64 = 0
        if case .success(let core)? = known { offset = core.serverTimeOffset }
        let time = DatabaseClock.milliseconds() &+ offset
        return self.state.withLock { state in
            var random = SystemRandomNumberGenerator()
            return state.pushIDs.next(milliseconds: time, using: &random)
        }
    }
}

/// The system's clock.
enum DatabaseClock {
    static func milliseconds() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}

extension Database: Hashable, CustomStringConvertible {
    public static func == (left: Database, right: Database) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public var description: String {
        switch self.address {
        case .success(let address): "<Database: \(address.text)>"
        case .failure(let fault): "<Database: \(fault.message)>"
        }
    }
}
