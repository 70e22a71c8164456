/// Where what a server shows and believes stands: PEM files, which whoever renews certificates may replace at any time.
package struct TLSFiles: Hashable, Sendable {
    /// The server's certificate, then those that lead to one that clients know.
    package let certificateChain: String
    package let privateKey: String
    /// Whose certificates clients may show; nil: clients are not asked for any.
    package let clientAuthorities: String?

    package init(certificateChain: String, privateKey: String, clientAuthorities: String? = nil) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
        self.clientAuthorities = clientAuthorities
    }
}
