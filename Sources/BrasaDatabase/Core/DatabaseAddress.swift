internal import BrasaApp
internal import BrasaClientNetwork
internal import BrasaTreeRemote
internal import BrasaTreeWire
internal import Foundation

/// Which database, and where its server is.
struct DatabaseAddress: Hashable, Sendable {
    private(set) var name: String
    private(set) var server: ServerAddress
    private(set) var isEncrypted: Bool
    /// It need not be one that the tokens were made for.
    private(set) var isEmulator = false

    private static let variable = "FIREBASE_DATABASE_EMULATOR_HOST"

    /// The database that an app or a URL names.
    init(_ options: FirebaseOptions, url: String?, environment: [String: String]) throws(DatabaseFault) {
        let project = options.projectID(environment: environment)
        guard let text = url ?? options.databaseURL ?? project.map({ Self.url(ofProject: $0) }) else {
            throw DatabaseFault("No database: set the app's databaseURL, or the environment variable GCLOUD_PROJECT.")
        }
        let (address, path) = try Self.split(text)
        guard path.isEmpty else { throw DatabaseFault("The URL of a database has no path: \(text)") }
        self = address
        if let host = environment[Self.variable], !host.isEmpty {
            guard let server = ServerAddress(host, defaultPort: 80) else {
                throw DatabaseFault("\(Self.variable) is no address: \(host)")
            }
            self = try self.emulated(host: server.host, port: server.port)
        }
    }

    private static func url(ofProject project: String) -> String { "https://\(project)-default-rtdb.firebaseio.com" }

    private init(name: String, server: ServerAddress, isEncrypted: Bool) {
        (self.name, self.server, self.isEncrypted) = (name, server, isEncrypted)
    }

    /// A URL's database, and the path in it, decoded.
    static func split(_ text: String) throws(DatabaseFault) -> (address: DatabaseAddress, path: String) {
        guard let components = URLComponents(string: text), let host = components.host, !host.isEmpty,
            let scheme = components.scheme?.lowercased(), ["http", "https", "ws", "wss"].contains(scheme)
        else { throw DatabaseFault("\(text) is no URL of a database.") }
        let isEncrypted = scheme == "https" || scheme == "wss"
        let plain = ServerAddress.unbracketed(host)
        let port = components.port ?? ServerAddress.defaultPort(isEncrypted: isEncrypted)
        guard let server = ServerAddress(numbered: plain, port),
            // Of a number that is too large for any port there is none.
            components.port != nil || components.rangeOfPort?.isEmpty ?? true
        else { throw DatabaseFault("\(text) has no port from 1 to 65535.") }
        let named = components.queryItems?.first { $0.name == "ns" }?.value
        guard let name = named.flatMap({ $0.isEmpty ? nil : $0 }) ?? TreeHandshake.database(ofHost: plain) else {
            throw DatabaseFault("\(text) does not say which database: add ?ns=NAME.")
        }
        let path = components.path.split(separator: "/").joined(separator: "/")
        return (DatabaseAddress(name: name, server: server, isEncrypted: isEncrypted), path)
    }

    /// The same database on another server, which is not encrypted.
    func emulated(host: String, port: Int) throws(DatabaseFault) -> DatabaseAddress {
        let plain = ServerAddress.unbracketed(host)
        guard let server = ServerAddress(numbered: plain, port) else {
            throw DatabaseFault("The emulator has no port from 1 to 65535: \(port)")
        }
        var copy = self
        copy.server = server
        (copy.isEncrypted, copy.isEmulator) = (false, true)
        return copy
    }

    func isSame(as other: DatabaseAddress) -> Bool { self.name == other.name && self.server == other.server }

    /// As a URL.
    var text: String { self.url(path: "") }

    func url(path: String) -> String {
        let isUsual = self.server.port == ServerAddress.defaultPort(isEncrypted: self.isEncrypted)
        let host = self.server.host.contains(":") ? "[\(self.server.host)]" : self.server.host
        let origin = "\(self.isEncrypted ? "https" : "http")://\(host)" + (isUsual ? "" : ":\(self.server.port)")
        let url = path.isEmpty ? origin : "\(origin)/\(path)"
        return TreeHandshake.database(ofHost: self.server.host) == self.name ? url : "\(url)?ns=\(self.name)"
    }

    func server(trustedRootsFile: String?) -> TreeServer {
        var settings = TLSSettings()
        if let trustedRootsFile { settings.roots = .given(.file(trustedRootsFile)) }
        return TreeServer(
            name: self.name,
            address: self.server,
            security: self.isEncrypted ? .tls(settings) : .plaintext,
            isEmulator: self.isEmulator
        )
    }
}

extension ServerAddress {
    /// Nil for a number that is none of a port.
    fileprivate init?(numbered host: String, _ port: Int) {
        guard let number = UInt16(exactly: port), number > 0 else { return nil }
        self.init(host: host, port: port)
    }
}
