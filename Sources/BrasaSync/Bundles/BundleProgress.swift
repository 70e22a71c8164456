/// How far the loading of a bundle has come.
package struct BundleProgress: Hashable, Sendable {
    package var documentsLoaded: Int64
    package var documentsTotal: Int64
    package var bytesLoaded: Int64
    package var bytesTotal: Int64
}

extension BundleProgress {
    init(_ bundle: Bundle.Metadata, documents: Int64, bytes: Int64) {
        self.init(
            documentsLoaded: documents,
            documentsTotal: bundle.documentCount,
            bytesLoaded: bytes,
            bytesTotal: bundle.byteCount
        )
    }
}
