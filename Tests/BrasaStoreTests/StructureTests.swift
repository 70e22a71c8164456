import BrasaDocuments
import BrasaSimulation
import Testing

@testable import BrasaStore

@Suite struct StructureTests {
    /// From another implementation of SipHash-1-3.
    @Test(
        arguments: [
            ("a", 0x4074_48d2_b89b_1813), ("abcdefg", 0x6db1_2aae_9070_f506), ("abcdefgh", 0x3f7b_849c_0b8e_35ea),
            ("users/alice/posts/17", 0x8376_86aa_bfe0_c303),
        ] as [(String, UInt64)]
    )
    func hashesAsSipHashDoes(text: String, expected: UInt64) {
        #expect(KeyedHash(key0: 0, key1: 0)(ByteString(Array(text.utf8))) == expected)
        #expect(KeyedHash(key0: 0, key1: 1)(ByteString(Array(text.utf8))) != expected)
        #expect(KeyedHash(key0: 1, key1: 0)(ByteString(Array(text.utf8))) != expected)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func aTableWithCollisionsFindsWhatItHolds(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var table = ChainTable()
        var model: [ResourcePath: DocumentChain] = [:]
        let paths = try (0..<300).map { try ResourcePath(parsing: "c/\($0)".utf8) }
        // Few hashes: long runs of neighbours that have to close up at each removal, also around the end of a part.
        let hashes = paths.map { _ in
            UInt32(0xffff_ffff) &- UInt32(truncatingIfNeeded: random.next() % (seed % 2 == 0 ? 7 : 200))
        }
        for _ in 0..<6_000 {
            let index = Int.random(in: 0..<paths.count, using: &random)
            let (path, hash) = (paths[index], hashes[index])
            if model[path] == nil, random.chance(1, in: 2) {
                let version = DocumentChain.Version(fields: .empty, createTime: 1, time: 1)
                let chain = DocumentChain(path: path, version: version)
                table.insert(chain, hash: hash)
                model[path] = chain
            } else {
                table.remove(path, hash: hash)
                model[path] = nil
            }
            let probe = Int.random(in: 0..<paths.count, using: &random)
            #expect(table.find(paths[probe], hash: hashes[probe]) === model[paths[probe]])
        }
        for (path, hash) in zip(paths, hashes) { #expect(table.find(path, hash: hash) === model[path]) }
    }

    /// Of jemalloc, up to where the largest parts are.
    @Test func thePartsOfATableFillPiecesOfTheAllocator() {
        let fine = stride(from: 16, through: 128, by: 16)
        let doublings = sequence(first: 128) { 2 * $0 }.prefix { $0 < 1 << 22 }
        let pieces = Array(fine) + doublings.flatMap { size in (5...8).map { size / 4 * $0 } }
        for count in Array(1...3_000) + stride(from: 3_001, through: 300_000, by: 97) {
            let slots = SlotCount.fitting(count)
            #expect(pieces.first { $0 >= 32 + 4 * count } == 32 + 4 * slots, "\(count)")
            // Of an array of as many references 32 bytes are left.
            #expect(pieces.contains(64 + 8 * slots), "\(count)")
        }
    }

    @Test func aTableNeitherFillsUpNorMovesTwiceForOneDocument() throws {
        let version = DocumentChain.Version(fields: .empty, createTime: 1, time: 1)
        var table = ChainTable()
        // Of one part.
        let added = try (0..<600).map { number in
            (path: try ResourcePath(parsing: "c/\(number)".utf8), hash: UInt32(number) &* 0x1_9e37)
        }
        for (path, hash) in added {
            table.insert(DocumentChain(path: path, version: version), hash: hash)
            let count = table.slotCount
            table.remove(path, hash: hash)
            table.insert(DocumentChain(path: path, version: version), hash: hash)
            #expect(table.slotCount == count)
        }
        for (index, (path, hash)) in added.enumerated() {
            table.remove(path, hash: hash)
            let count = table.slotCount
            table.insert(DocumentChain(path: path, version: version), hash: hash)
            table.remove(path, hash: hash)
            let left = added.count - index - 1
            #expect(table.slotCount == count && count * 4 >= left * 5)
        }
    }

    /// A slot takes twelve bytes: what is empty is paid for by every document.
    @Test func aTableHasNoMoreThanFiveSlotsForThreeDocumentsHoweverManyThereAreAndGivesThemBack() throws {
        let hash = KeyedHash(key0: 1, key1: 2)
        func place(_ path: ResourcePath) -> UInt32 { UInt32(truncatingIfNeeded: hash(path.bytes)) }
        let version = DocumentChain.Version(fields: .empty, createTime: 1, time: 1)
        var table = ChainTable()
        let paths = try (0..<20_000).map { try ResourcePath(parsing: "c/\($0)".utf8) }
        for (index, path) in paths.enumerated() {
            table.insert(DocumentChain(path: path, version: version), hash: place(path))
            if index >= 5_000, index % 100 == 0 { #expect(table.slotCount * 3 <= index * 5) }
        }
        for path in paths { #expect(table.find(path, hash: place(path))?.path == path) }
        for path in paths { table.remove(path, hash: place(path)) }
        #expect(table.isEmpty && table.slotCount <= 64 * 16)
    }

    @Test func aQueueKeepsItsOrderWhileItShrinksAndGrows() {
        var random = SeededRandom(seed: 3)
        var queue = FirstInFirstOut<Int>()
        var model: [Int] = []
        for number in 0..<20_000 {
            if random.chance(number / 5_000 % 2 == 0 ? 7 : 3, in: 10) {
                queue.append(number)
                model.append(number)
            } else if random.chance(1, in: 10), !model.isEmpty {
                queue.removeLast(1)
                model.removeLast()
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count && queue.first == model.first)
        }
        for (index, element) in model.enumerated() { #expect(queue[index] == element) }
        let middle = model[model.count / 2]
        #expect(queue.firstIndex { $0 < middle } == model.count / 2)
    }

    @Test func noStepOfAQueueMovesMoreThanAChunkOrOneReferenceToEach() {
        var queue = FirstInFirstOut<Int>()
        let chunk = FirstInFirstOut<Int>.chunkSize
        var movesMax = 0
        var moves = 0
        func note() {
            movesMax = max(movesMax, queue.moves - moves)
            moves = queue.moves
        }
        let count = 200_000
        for number in 0..<count {
            queue.append(number)
            note()
        }
        for number in 0..<count {
            #expect(queue.popFirst() == number)
            note()
            // As it is under a bound: one comes for each that goes.
            if number < count / 2 {
                queue.append(count + number)
                note()
            }
        }
        for number in 0..<count / 2 { #expect(queue.popFirst() == count + number) }
        #expect(queue.isEmpty && queue.ringCount <= 8)
        #expect(movesMax <= max(chunk, count / chunk + 1))
        #expect(moves <= 2 * (chunk + count))
    }

    /// There is one for every document.
    @Test func whatADocumentHasBesidesItsNameAndTimesIsOneWord() {
        #expect(MemoryLayout<DocumentChain.Content>.size == MemoryLayout<Int>.size)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func aChainShowsEachTimeItsVersionUntilItIsTrimmed(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func version(_ time: Int64) -> DocumentChain.Version {
            let isDeletion = time > 0 && random.chance(1, in: 4)
            let fields = isDeletion ? nil : EncodedFields(canonical: ByteString(Array("\(time)".utf8)))
            return DocumentChain.Version(fields: fields, createTime: 0, time: time)
        }
        var versions = [version(0)]
        let chain = DocumentChain(path: try ResourcePath(parsing: "a/b".utf8), version: versions[0])
        var (oldest, bytes, time) = (Int64(0), 0, Int64(0))
        for _ in 0..<400 {
            time += Int64.random(in: 1...3, using: &random)
            let next = version(time)
            bytes += chain.add(next).historyBytes
            versions.append(next)
            if random.chance(1, in: 5) {
                versions.removeLast()
                #expect(chain.removeNewest()?.time == time)
                bytes -= chain.newest.historyBytes
            }
            if random.chance(1, in: 6) {
                oldest = Int64.random(in: oldest...time, using: &random)
                var forgotten: [Int64] = []
                var endTimes: [Int64] = []
                let trimmed = chain.trim(before: oldest) { version, successor in
                    forgotten.append(version.time)
                    endTimes.append(successor.time)
                    #expect(successor.fields == versions.first { $0.time == successor.time }?.fields)
                }
                bytes -= trimmed.bytes
                let seen = versions.last { $0.time <= oldest }?.time ?? 0
                #expect(forgotten == versions.map(\.time).filter { $0 < seen })
                #expect(endTimes == Array(versions.map(\.time).filter { $0 <= seen }.dropFirst()))
                versions.removeAll { $0.time < seen }
                let since = Int64.random(in: seen...time, using: &random)
                #expect(chain.version(after: since)?.time == versions.first { $0.time > since }?.time)
            }
            #expect(bytes == versions.dropLast().reduce(0) { $0 + $1.historyBytes })
            #expect(chain.supersededCount == versions.count - 1)
            let probe = Int64.random(in: oldest...(time + 1), using: &random)
            let expected = versions.last { $0.time <= probe }
            #expect(chain.document(at: probe)?.fields == expected?.fields)
            #expect(chain.isVisible(at: probe) == (expected?.fields != nil))
        }
    }
}
