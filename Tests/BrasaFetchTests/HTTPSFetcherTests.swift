import BrasaTokens
import NIOCore
import NIOSSL
import Testing

@testable import BrasaFetch

@Suite struct HTTPSFetcherTests {
    private func fetch(
        _ path: String,
        bytesMax: Int = 1 << 10,
        timeMax: Duration = .seconds(60),
        trusting roots: [NIOSSLCertificate]? = nil,
        scheme: String = "https",
        _ answer: @escaping @Sendable (String) -> ScriptedPage
    ) async throws -> Result<[UInt8], FetchError> {
        let server = try await ScriptedSite(answer)
        let fetcher = HTTPSFetcher(trustRoots: .certificates(try roots ?? ScriptedSite.roots()), timeMax: timeMax)
        let result: Result<[UInt8], FetchError>
        do throws(FetchError) {
            result = .success(
                try await fetcher.fetch("\(scheme)://localhost:\(server.port)\(path)", bytesMax: bytesMax)
            )
        } catch {
            result = .failure(error)
        }
        try await fetcher.shutdown()
        try await server.stop()
        return result
    }

    @Test func `A document is fetched whole, in one piece or many`() async throws {
        let document = [UInt8]("{\"keys\":[]}".utf8)
        #expect(try await self.fetch("/keys") { $0 == "/keys" ? .body(document) : .status(404) } == .success(document))
        #expect(try await self.fetch("/") { _ in .body(Array(repeating: 7, count: 1 << 10)) }.get().count == 1 << 10)
    }

    @Test func `More bytes than are wanted are not taken`() async throws {
        let long = [UInt8](repeating: 7, count: (1 << 10) + 1)
        #expect(try await self.fetch("/") { _ in .body(long) } == .failure(.tooLong))
        #expect(try await self.fetch("/") { _ in .endless } == .failure(.tooLong))
    }

    @Test func `An answer whose end does not come is given up`() async throws {
        let limit = Duration.milliseconds(200)
        #expect(try await self.fetch("/", timeMax: limit) { _ in .nothing } == .failure(.tooSlow))
        #expect(try await self.fetch("/", timeMax: limit) { _ in .headOnly } == .failure(.tooSlow))
    }

    @Test func `Only what an issuer itself says is taken`() async throws {
        #expect(try await self.fetch("/") { _ in .status(500) } == .failure(.status(500)))
        let redirection = try await self.fetch("/") { $0 == "/" ? .redirection("/keys") : .body([1]) }
        #expect(redirection == .failure(.status(302)))
        #expect(try await self.fetch("/", scheme: "http") { _ in .body([1]) } == .failure(.notHTTPS))
        guard case .failure(.failed) = try await self.fetch("/", trusting: [], { _ in .body([1]) }) else {
            Issue.record("a certificate that nobody vouches for was believed")
            return
        }
    }
}
