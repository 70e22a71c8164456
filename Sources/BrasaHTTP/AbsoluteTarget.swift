/// A target with a scheme and a host in front, which a server must take (RFC 9112, 3.2.2): its host counts, whatever the
/// field says.
struct AbsoluteTarget {
    let authority: String
    /// What stands where the target usually does.
    let target: String

    /// Nil for other targets.
    init?(_ text: String) {
        guard text.utf8.first != UInt8(ascii: "/") else { return nil }
        let scheme = text.prefix { $0 != ":" }
        guard ["http", "https"].contains(scheme.lowercased()), text.dropFirst(scheme.count).hasPrefix("://") else {
            return nil
        }
        let rest = text.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        self.authority = String(authority)
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
    }
}
