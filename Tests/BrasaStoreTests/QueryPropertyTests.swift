import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

@testable import BrasaStore

/// The whole engine against the naive model: random documents and queries, with and without indexes, while they are
/// built or dropped and while commits go on.
@Suite struct QueryPropertyTests {
    @Test(arguments: 0..<24 as Range<UInt64>)
    func findsWhatThePlainModelFinds(seed: UInt64) throws {
        var generator = QueryCaseGenerator(seed: seed, database: try databaseName())
        for number in 0..<120 as Range<UInt64> {
            let made = generator.next()
            let caseSeed = seed << 32 | number
            guard try QueryTrial.failure(of: made, seed: caseSeed) != nil else { continue }
            let smallest = made.shrunk { (try? QueryTrial.failure(of: $0, seed: caseSeed)) ?? nil != nil }
            let failure = try QueryTrial.failure(of: smallest, seed: caseSeed) ?? ""
            Issue.record("seed \(seed), case \(number): \(failure)\n\(smallest)")
            return
        }
    }
}
