/// What a client says when it connects, in the URL: `/.ws?v=5&ns=…`.
package struct TreeHandshake: Hashable, Sendable {
    /// Which database.
    package let database: String
    /// Its session before this one, which is to end before this one begins.
    package let lastSession: String?
    package let application: String?

    package enum Fault: Error, Hashable, Sendable {
        case unsupportedVersion(String)
        case noDatabase
    }

    package static let version = "5"

    /// Parameters are decoded. The database that they name goes before the one of the host, which is the first label of
    /// three or more; addresses name none.
    package init(host: String, parameters: [(name: String, value: String)]) throws(Fault) {
        var values: [String: String] = [:]
        for parameter in parameters { values[parameter.name] = parameter.value }
        let version = values["v"] ?? ""
        guard version == Self.version else { throw .unsupportedVersion(version) }
        guard let database = Self.present(values["ns"]) ?? Self.database(ofHost: host) else { throw .noDatabase }
        self.database = database
        self.lastSession = Self.present(values["ls"])
        self.application = Self.present(values["p"])
    }

    private static func present(_ value: String?) -> String? { value.flatMap { $0.isEmpty ? nil : $0 } }

    /// Of a `Host` header. Nil where its name says none.
    package static func database(ofHost host: String) -> String? {
        guard !host.hasPrefix("[") else { return nil }
        let name = host.prefix { $0 != ":" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 3, !labels.contains(where: \.isEmpty) else { return nil }
        let isAddress = labels.count == 4 && labels.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        return isAddress ? nil : labels[0].lowercased()
    }
}
