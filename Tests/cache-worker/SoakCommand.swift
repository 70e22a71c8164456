import ArgumentParser
import BrasaFirestore
import Foundation

struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Write, read, query and listen for long, and say how large file and process become."
    )

    @OptionGroup var database: WorkerDatabase

    @Option(help: "How many operations.")
    var operations = 1_000_000

    @Option(help: "Documents that they choose from.")
    var documents = 100_000

    @Option(help: "Operations between two lines of the report.")
    var interval = 50_000

    @Option(help: "Of the operations and documents.")
    var seed: UInt64 = 1

    @Option(help: "End with status 1 when the files are ever larger than this.")
    var limit: Int?

    func run() async throws {
        var soak = Soak(firestore: self.database.open(), documents: self.documents, seed: self.seed)
        let start = ContinuousClock.now
        var largest = 0
        FileHandle.standardOutput.write(Data("operations seconds file-MB resident-MB\n".utf8))
        for number in 1...self.operations {
            try await soak.step(number)
            guard number % self.interval == 0 || number == self.operations else { continue }
            let bytes = self.database.fileBytes()
            largest = max(largest, bytes)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let sizes = [bytes, residentBytes()].map { String(format: "%.1f", Double($0) / 1e6) }
            let line = "\(number) \(String(format: "%.0f", seconds)) \(sizes[0]) \(sizes[1])\n"
            FileHandle.standardOutput.write(Data(line.utf8))
        }
        try await soak.finish()
        if let limit = self.limit, largest > limit { throw ExitCode(1) }
    }
}

/// The operations, one after the other.
private struct Soak {
    private let firestore: Firestore
    private let documents: Int
    private var random: SoakRandom
    private var listeners: [any ListenerRegistration] = []
    private let body = String(repeating: "x", count: 200)

    /// Writes that may wait for the server.
    private static let waitingMax = 500
    private static let listenersMax = 20
    private static let groups = 1_000
    /// Small ones, so that a query without an index does not take all the time.
    private static let collections = 200

    init(firestore: Firestore, documents: Int, seed: UInt64) {
        self.firestore = firestore
        self.documents = documents
        self.random = SoakRandom(state: seed)
    }

    mutating func step(_ number: Int) async throws {
        let index = self.random.next(below: self.documents)
        let document = self.collection(index).document("d\(index)")
        switch self.random.next(below: 100) {
        case 0..<50:
            let fields: [String: Any] = ["n": number, "group": number % Self.groups, "body": self.body]
            document.setData(fields, completion: nil)
        case 50..<80: _ = try? await document.getDocument(source: .cache)
        case 80..<90: _ = try await document.getDocument(source: .default)
        case 90..<98: _ = try await self.group().getDocuments(source: .cache)
        default: self.listen()
        }
        if number % Self.waitingMax == 0 { try await self.firestore.waitForPendingWrites() }
    }

    mutating func finish() async throws {
        for listener in self.listeners { listener.remove() }
        try await self.firestore.waitForPendingWrites()
        try await self.firestore.terminate()
    }

    private func collection(_ index: Int) -> CollectionReference {
        self.firestore.collection("soak\(index % Self.collections)")
    }

    private mutating func group() -> Query {
        self.collection(self.random.next(below: Self.collections))
            .whereField("group", isEqualTo: self.random.next(below: Self.groups)).limit(to: 10)
    }

    /// The oldest listener goes when there are too many.
    private mutating func listen() {
        self.listeners.append(self.group().addSnapshotListener { _, _ in })
        if self.listeners.count > Self.listenersMax { self.listeners.removeFirst().remove() }
    }
}

/// SplitMix64.
private struct SoakRandom {
    var state: UInt64

    mutating func next(below count: Int) -> Int {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(max(1, count)))
    }
}

/// Of this process, as Linux tells it; zero elsewhere.
func residentBytes() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
        let kilobytes = line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return kilobytes * 1024
}
