/// The administrators' keys as they stood at one reading of the list, ready to verify.
struct AdministratorKeyRing: Sendable {
    struct Entry: Sendable {
        let key: AdministratorKey
        let verification: VerificationKey
    }

    static let empty = AdministratorKeyRing(entries: [:], emails: [], secret: [])

    let entries: [String: Entry]
    let emails: Set<String>
    let secret: [UInt8]

    private init(entries: [String: Entry], emails: Set<String>, secret: [UInt8]) {
        self.entries = entries
        self.emails = emails
        self.secret = secret
    }

    /// Nil when a key of the list is none.
    init?(_ list: AdministratorKeyList) async {
        var entries: [String: Entry] = [:]
        for key in list.keys {
            guard let verification = try? await VerificationKey.rsa(pem: key.publicKeyPEM) else { return nil }
            entries[key.id] = Entry(key: key, verification: verification)
        }
        self.init(entries: entries, emails: Set(list.keys.map(\.email)), secret: list.secret)
    }

    /// - Throws: unless the key is there and enabled.
    func entry(_ id: String?) throws(TokenRefusal) -> Entry {
        guard let id, let entry = self.entries[id] else { throw .unknownKey }
        guard !entry.key.isDisabled else { throw .disabledKey }
        return entry
    }
}
