import BrasaDocuments
import BrasaLog
import BrasaMessages
import BrasaOptions
import BrasaPlatform
import BrasaStore
import BrasaWire
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BrasaServer

@Suite struct StartTests {
    private func refusal(_ change: (inout ServerConfiguration) -> Void) async -> String? {
        do {
            let server = try await RunningServer(RunningServer.configuration(change))
            try await server.stop()
            return nil
        } catch {
            return (error as? StartError)?.description ?? "not a StartError: \(error)"
        }
    }

    @Test(arguments: ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
    func `Loopback needs no leave`(_ host: String) throws {
        let configuration = RunningServer.configuration { $0.listen.host = host }
        #expect(try Listener.resolve(configuration).isLoopback)
    }

    @Test(arguments: ["0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1"])
    func `Plain text anywhere else is refused without --insecure, before the folder is touched`(_ host: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        let text = await self.refusal {
            $0.listen.host = host
            $0.durability = .fsync
            $0.dataDirectory = data
        }
        #expect(text?.hasPrefix("refusing to listen on ") == true && text?.contains("--insecure") == true)
        #expect(text?.contains("\n") == false)
        #expect(!FileManager.default.fileExists(atPath: data))
        #expect(text?.contains("--tls-certificate") == true)
        let allowances: [(inout ServerConfiguration) -> Void] = [{ $0.insecure = true }, { $0.tlsCertificate = "c" }]
        for allowance in allowances {
            let allowed = RunningServer.configuration {
                $0.listen.host = host
                allowance(&$0)
            }
            #expect(throws: Never.self) { try Listener.resolve(allowed) }
        }
    }

    @Test func `A port in use is one line`() async throws {
        let server = try await RunningServer()
        let port = server.port
        let text = await self.refusal { $0.listen.port = port }
        #expect(text == "cannot listen on 127.0.0.1:\(port): Address already in use")
        try await server.stop()
    }

    @Test func `A folder that another server uses is one line`() async throws {
        let folder = try TemporaryFolder()
        let server = try await RunningServer(
            RunningServer.configuration {
                $0.durability = .fsync
                $0.dataDirectory = folder.path
            }
        )
        let text = await self.refusal {
            $0.durability = .fsync
            $0.dataDirectory = folder.path
        }
        #expect(text?.hasPrefix("cannot open \(folder.path): ") == true && text?.contains("\n") == false)
        try await server.stop()
    }

    @Test func `A folder that is a file is one line`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        try Data("x".utf8).write(to: URL(filePath: path))
        let text = await self.refusal {
            $0.durability = .fsync
            $0.dataDirectory = path
        }
        #expect(text?.contains("cannot open \(path)") == true && text?.contains("\n") == false)
    }

    // MARK: brasa check

    @Test func `A check says what a folder holds, and refuses one in use`() async throws {
        let folder = try TemporaryFolder()
        let server = try await RunningServer(
            RunningServer.configuration {
                $0.durability = .fsync
                $0.dataDirectory = folder.path
            }
        )
        let database = try DatabaseName(parsing: "projects/p/databases/(default)".utf8)
        let name = try DocumentName(parsing: "\(database.string)/documents/c/x".utf8)
        let commit = CommitRequest(database: database, writes: [Write(name: name, operation: .set(.empty))])
        _ = try await server.connect().unary { $0.commit(commit, completion: $1) }
        #expect(throws: StoreError.self) { try Store.inspect(disk: RealDisk(), directory: folder.path) }
        try await server.stop()

        let before = try self.contents(folder)
        let report = CheckReport(try Store.inspect(disk: RealDisk(), directory: folder.path))
        #expect(report.isSound && report.damageLines.isEmpty)
        #expect(report.lines.contains("\(database.string): 1 documents, 0 bytes of fields"))
        #expect(report.lines.last == "no damage")
        #expect(try self.contents(folder) == before)
    }

    @Test func `A check names the file and the offset of damage, and changes nothing`() async throws {
        let folder = try TemporaryFolder()
        let server = try await RunningServer(
            RunningServer.configuration {
                $0.durability = .fsync
                $0.dataDirectory = folder.path
            }
        )
        let client = try await server.connect()
        let database = try DatabaseName(parsing: "projects/p/databases/(default)".utf8)
        for id in 0..<5 {
            let name = try DocumentName(parsing: "\(database.string)/documents/c/\(id)".utf8)
            let commit = CommitRequest(database: database, writes: [Write(name: name, operation: .set(.empty))])
            _ = try await client.unary { $0.commit(commit, completion: $1) }
        }
        try await server.stop()
        let segment = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".log") }.min()
        )
        var bytes = try Data(contentsOf: URL(filePath: folder.path + "/" + segment))
        let place = try #require(bytes.firstRange(of: Data("c/1".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: URL(filePath: folder.path + "/" + segment))

        let before = try self.contents(folder)
        let report = CheckReport(try Store.inspect(disk: RealDisk(), directory: folder.path))
        #expect(!report.isSound && report.lines.last == "damaged")
        #expect(report.damageLines.contains { $0.contains(segment) && $0.contains("offset") })
        #expect(try self.contents(folder) == before)
    }

    private func contents(_ folder: TemporaryFolder) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            contents[file] = try Data(contentsOf: URL(filePath: folder.path + "/" + file))
        }
        return contents
    }
}
