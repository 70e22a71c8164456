/// Whether a server lets everybody do everything: where only its own machine, or a network that is said to be trusted,
/// reaches it, and nothing says who may.
struct OpenPolicy: Sendable {
    /// It listens on its own machine only.
    let isLocal: Bool
    /// `--insecure`: the network around it is said to be trusted.
    let isInsecure: Bool
    /// Issuers of users' tokens, or authorities of clients' certificates.
    let namesCallers: Bool

    /// - Parameter hasKeys: there has been a list of administrators' keys, if only of those that were deleted.
    func isOpen(hasKeys: Bool) -> Bool {
        (self.isLocal || self.isInsecure) && !self.namesCallers && !hasKeys
    }

    /// What the operator is told when the server starts.
    func notice(hasKeys: Bool) -> (text: String, isWarning: Bool)? {
        if self.isOpen(hasKeys: hasKeys) {
            return ("everybody who reaches this address may do everything: there are no keys", !self.isLocal)
        }
        guard !hasKeys, !self.namesCallers else { return nil }
        return ("nobody may do anything yet: `brasa keys create NAME` makes an administrator's key", true)
    }
}
