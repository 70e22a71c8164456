/// What cannot be fetched. Without the document's text.
package enum FetchError: Error, Hashable, Sendable, CustomStringConvertible {
    case notHTTPS
    case status(Int)
    case tooLong
    case tooSlow
    case failed(String)

    package var description: String {
        switch self {
        case .notHTTPS: "the URL is not one of https"
        case .status(let status): "the answer's status is \(status)"
        case .tooLong: "the answer is too long"
        case .tooSlow: "the answer takes too long"
        case .failed(let reason): reason
        }
    }
}

/// The way to issuers' documents, as a seam: tests need no network.
package protocol DocumentFetcher: Sendable {
    /// The body of what `GET` gives, of `bytesMax` bytes at most. Bounds the time, too.
    func fetch(_ url: String, bytesMax: Int) async throws(FetchError) -> [UInt8]
}
