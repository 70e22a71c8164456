import AsyncHTTPClient
package import BrasaTokens
import NIOCore
import NIOHTTP1
package import NIOSSL

/// Fetches issuers' documents over HTTPS. Follows no redirection, keeps no cookies, and takes so much of an answer and so
/// long as it was told to.
package final class HTTPSFetcher: DocumentFetcher {
    private let client: HTTPClient
    private let timeMax: Duration

    /// - Parameters:
    ///   - trustRoots: whose certificates are believed.
    ///   - timeMax: for one document, from connecting to its last byte.
    package init(trustRoots: NIOSSLTrustRoots = .default, timeMax: Duration = .seconds(10)) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = trustRoots
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = TimeAmount(timeMax)
        configuration.connectionPool.idleTimeout = .seconds(10)
        // What does not connect at once says why, instead of trying until its time is over.
        configuration.connectionPool.retryConnectionEstablishment = false
        self.client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.timeMax = timeMax
    }

    /// Once, when nothing is fetched any more.
    package func shutdown() async throws { try await self.client.shutdown() }

    package func fetch(_ url: String, bytesMax: Int) async throws(FetchError) -> [UInt8] {
        guard url.lowercased().hasPrefix("https://") else { throw .notHTTPS }
        let result = await withTaskGroup(of: Result<[UInt8], FetchError>.self) { group in
            group.addTask { await self.body(url, bytesMax: bytesMax) }
            // The client's own limit ends with the answer's head; its body might come for ever.
            group.addTask {
                try? await Task.sleep(for: self.timeMax)
                return .failure(.tooSlow)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.tooSlow)
        }
        return try result.get()
    }

    private func body(_ url: String, bytesMax: Int) async -> Result<[UInt8], FetchError> {
        do {
            var request = HTTPClientRequest(url: url)
            request.headers.add(name: "accept", value: "application/json")
            let response = try await self.client.execute(request, timeout: TimeAmount(self.timeMax))
            guard response.status == .ok else { return .failure(.status(Int(response.status.code))) }
            let body = try await response.body.collect(upTo: bytesMax)
            return .success(Array(body.readableBytesView))
        } catch is NIOTooManyBytesError {
            return .failure(.tooLong)
        } catch let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout {
            return .failure(.tooSlow)
        } catch {
            return .failure(.failed("\(error)"))
        }
    }
}
