import BrasaDocuments
import BrasaQueryModel
import BrasaStatus

@testable import BrasaSync

/// Random writes of two users, over connections that break, to a server that refuses some, restarts, or has no streams to
/// take up again for a while, from clients that are killed, whose storage fails, or whose power goes.
struct ResumptionTrial {
    private let storage: any LosingStorage
    /// After a kill or a loss of power, before the next client.
    private let reopen: () throws -> Void
    private let ledger = WriteLedger()
    private let documents: FakeServer
    private let server: FakeWriteServer
    private let dice: Dice
    private var test: TestClient
    private var client = 0
    /// Nothing is written for a while.
    private var isDraining = false

    private(set) var lossCount = 0
    var batchCount: Int { self.ledger.batchCount }
    var excusedCount: Int { self.ledger.excusedCount }
    var resumptionCount: Int { self.server.resumptions }

    private final class Dice {
        var random: SeededRandom
        init(_ seed: UInt64) { self.random = SeededRandom(seed: seed) }
        func below(_ count: Int) -> Int { self.random.below(count) }
    }

    private static let users = [SyncUser.signedOut, SyncUser(uid: "ada")]

    init(seed: UInt64, _ storage: any LosingStorage, reopen: @escaping () throws -> Void = {}) throws {
        let dice = Dice(seed)
        let test = try TestClient(storage)
        let documents = FakeServer(test.transport)
        let ledger = self.ledger
        weak var known: FakeWriteServer?
        let server = FakeWriteServer { writes in
            guard let answer = documents.commit(writes) else { return nil }
            ledger.applied(writes, on: known?.stream, lost: known?.lost ?? [])
            return answer
        }
        known = server
        server.appliedAtEnd = { dice.below($0 + 1) }
        server.connect(test.transport)
        (self.storage, self.reopen, self.dice) = (storage, reopen, dice)
        (self.test, self.documents, self.server) = (test, documents, server)
    }

    mutating func step() throws {
        if self.dice.below(self.isDraining ? 60 : 30) == 0 { self.isDraining.toggle() }
        // What a server without such streams applies twice is nobody's fault, so it is there for a short time only.
        if self.dice.below(8) == 0 { self.server.isResumable = true }
        switch self.dice.below(100) {
        case 0..<30: try self.isDraining ? self.answer(1 + self.dice.below(25)) : self.write()
        case 30..<56: self.server.answer(self.test.transport)
        case 56..<62: self.test.transport.breakWrites(SyncError(.unavailable))
        case 62..<70: self.test.toggleNetwork()
        case 70..<74: self.changeUser(to: self.dice.below(2))
        case 74..<80:
            let all: [StorageOperation] = [.acknowledgeBatch, .rejectBatch, .nextBatch, .noteWriteStream]
            self.test.storage.failing = self.dice.below(2) == 0 ? Set(all) : []
        case 80, 81: try self.beginAgain()
        case 82..<85: try self.losePower()
        case 85, 86: self.test.scheduler.fire(.writeStreamIdle)
        case 87 where self.dice.below(2) == 0:
            self.test.transport.breakWrites(SyncError(.unavailable))
            self.server.forgetAll()
        case 88:
            self.test.transport.breakWrites(SyncError(.unavailable))
            self.server.isResumable = false
        case 89:
            // Longer than what the server remembers, with nothing in it that is stored for good.
            for _ in 0..<(100 + self.dice.below(150)) { try self.write(["many/\(self.dice.below(1000))"]) }
            self.isDraining = true
        default: self.test.scheduler.fire(through: nil)
        }
        if self.dice.below(3) > 0 { self.test.settle() }
        try self.check()
    }

    private func check() throws {
        if let failure = self.ledger.failures.first { throw SpecFailure(failure) }
    }

    // MARK: - What happens

    private mutating func write() throws {
        let paths = (0...self.dice.below(3)).map { _ in "c/\(self.dice.below(3))" }
        try self.write(Set(paths).sorted(), isRefused: self.dice.below(8) == 0)
    }

    private mutating func write(_ paths: [String], isRefused: Bool = false) throws {
        let (number, writes) = try self.ledger.make(
            of: paths,
            // A change of users may still be waiting for its turn.
            user: self.test.engine.local.user,
            client: self.client,
            isRefused: isRefused
        )
        self.test.client.write(writes) { [ledger = self.ledger] error in ledger.answered(number, error) }
    }

    private func answer(_ count: Int) {
        for _ in 0..<count {
            self.server.answer(self.test.transport)
            self.test.settle()
        }
    }

    private mutating func changeUser(to user: Int) {
        self.test.client.setUser(Self.users[user])
    }

    /// The next client finds what was queued.
    private mutating func beginAgain(losing: Bool = false) throws {
        // Who has called must have returned.
        self.test.settle()
        self.test.transport.breakWrites(nil)
        if losing {
            try self.storage.losePower { [dice = self.dice] in dice.below(2) == 0 ? 0 : dice.below($0 + 1) }
        } else {
            try self.reopen()
        }
        self.test = try TestClient(self.storage, server: self.server)
        self.client += 1
    }

    private mutating func losePower() throws {
        self.lossCount += 1
        try self.beginAgain(losing: true)
    }

    // MARK: - The end

    mutating func finish() throws {
        self.test.storage.failing = []
        if !self.test.isNetworkEnabled { self.test.toggleNetwork() }
        for user in Self.users.indices {
            self.changeUser(to: user)
            var rounds = 0
            repeat {
                self.test.settle()
                for timer in [SyncTimer.storageRetry, .writeStreamBackoff] { self.test.scheduler.fire(timer) }
                self.test.settle()
                self.server.answer(self.test.transport)
                self.test.settle()
                rounds += 1
                guard rounds < 10_000 else { throw SpecFailure("the queue does not become empty") }
            } while try self.test.engine.local.user != Self.users[user]
                || self.test.engine.local.highestBatchID() != nil
        }
        self.ledger.finish(client: self.client)
        try self.check()
        try self.checkDocuments()
    }

    /// Every answer was taken for the batch that it is about: the newest says what a counter has come to.
    private func checkDocuments() throws {
        for (path, stored) in self.documents.documents {
            let cached = try self.storage.transaction(.readDocument) { tables throws(StorageError) in
                try tables.document(at: path)
            }
            guard cached.isFound else { continue }
            let (wanted, found) = (stored.fields?.value(at: try field("n")), cached.fields.value(at: try field("n")))
            guard wanted == found, cached.version.microseconds == stored.version else {
                throw SpecFailure("\(path) counts \(String(describing: found)), not \(String(describing: wanted))")
            }
        }
    }
}
