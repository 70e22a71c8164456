import ArgumentParser
import BrasaFirestore
import Foundation

struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Write, read, query and listen for long, and fail when files or process become too large."
    )

    @OptionGroup var database: WorkerDatabase

    @Option(help: "How many operations.")
    var operations = 1_000_000

    @Option(help: "Documents that they choose from.")
    var documents = 100_000

    @Option(help: "Operations between two lines of the report.")
    var interval = 50_000

    @Option(help: "Operations between two looks at files and memory.")
    var sample = 100

    @Option(help: "Of the operations and documents.")
    var seed: UInt64 = 1

    @Option(help: "How many times the cache's size all its files together may become.")
    var fileFactor = 2.0

    @Option(help: "How many bytes larger than in the first fifth the process may become.")
    var memoryGrowth = 16 * 1024 * 1024

    func validate() throws {
        guard self.operations > 0, self.interval > 0, self.sample > 0, (0...1e6).contains(self.fileFactor) else {
            throw ValidationError("Nothing can be done with these numbers.")
        }
    }

    func run() async throws {
        var soak = Soak(firestore: self.database.open(), documents: self.documents, seed: self.seed)
        var bounds = SoakBounds(
            fileBytesMax: Int(self.fileFactor * Double(self.database.size)),
            memoryGrowthMax: self.memoryGrowth,
            firstFifth: self.operations / 5
        )
        let start = ContinuousClock.now
        self.report("operations seconds file-MB resident-MB")
        for number in 1...self.operations {
            try await soak.step(number)
            let isReported = number % self.interval == 0 || number == self.operations
            guard isReported || number % self.sample == 0 else { continue }
            let (file, resident) = (self.database.fileBytes(), residentBytes())
            if isReported {
                let seconds = String(format: "%.0f", (ContinuousClock.now - start) / .seconds(1))
                self.report("\(number) \(seconds) \(megabytes(file)) \(megabytes(resident))")
            }
            try bounds.look(at: number, fileBytes: file, residentBytes: resident)
        }
        try await soak.finish()
        self.report(bounds.summary)
    }

    private func report(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}

/// What files and process may become. An error ends the program with status 1.
private struct SoakBounds {
    let fileBytesMax: Int
    let memoryGrowthMax: Int
    /// The process is warm after these operations.
    let firstFifth: Int

    private var largestFile = 0
    private var earlyResident = 0
    private var lateResident = 0

    init(fileBytesMax: Int, memoryGrowthMax: Int, firstFifth: Int) {
        self.fileBytesMax = fileBytesMax
        self.memoryGrowthMax = memoryGrowthMax
        self.firstFifth = firstFifth
    }

    struct Exceeded: Error, CustomStringConvertible {
        let description: String
    }

    mutating func look(at number: Int, fileBytes: Int, residentBytes: Int) throws(Exceeded) {
        self.largestFile = max(self.largestFile, fileBytes)
        if number > self.firstFifth {
            self.lateResident = max(self.lateResident, residentBytes)
        } else {
            self.earlyResident = max(self.earlyResident, residentBytes)
        }
        let isLarge = self.largestFile > self.fileBytesMax
        let hasGrown = self.earlyResident > 0 && self.lateResident - self.earlyResident > self.memoryGrowthMax
        if isLarge || hasGrown {
            let what = isLarge ? "the cache's files are too large" : "the process grows too much"
            throw Exceeded(description: "\(what), after \(number) operations. \(self.summary)")
        }
        guard fileBytes > 0 else { throw Exceeded(description: "the cache has no files") }
    }

    var summary: String {
        let files = "Files: \(megabytes(self.largestFile)) MB at most, \(megabytes(self.fileBytesMax)) allowed."
        guard self.earlyResident > 0 else { return "\(files) The memory of the process is not known here." }
        let (early, late) = (megabytes(self.earlyResident), megabytes(self.lateResident))
        let growth = megabytes(self.memoryGrowthMax)
        return "\(files) Process: \(early) MB at most in the first fifth, \(late) later, \(growth) more allowed."
    }
}

private func megabytes(_ bytes: Int) -> String { String(format: "%.1f", Double(bytes) / 1e6) }

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
    /// Operations after which the indexes, which queries make, are made anew.
    private static let indexesLast = 20_000
    /// Small ones, so that a query without an index does not take all the time.
    private static let collections = 200

    init(firestore: Firestore, documents: Int, seed: UInt64) {
        self.firestore = firestore
        self.documents = documents
        self.random = SoakRandom(state: seed)
        firestore.persistentCacheIndexManager?.enableIndexAutoCreation()
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
        if number % Self.indexesLast == 0 { self.firestore.persistentCacheIndexManager?.deleteAllIndexes() }
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
