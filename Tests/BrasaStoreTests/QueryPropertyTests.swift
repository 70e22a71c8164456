import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

@testable import BrasaStore

/// The whole engine against the naive model: random documents and queries, with and without indexes, while they are
/// built or dropped and while commits go on.
@Suite struct QueryPropertyTests {
    @Test(arguments: 0..<16 as Range<UInt64>)
    func findsWhatThePlainModelFinds(seed: UInt64) throws {
        var generator = QueryCaseGenerator(seed: seed, database: try databaseName())
        var coverage = QueryTrial.Coverage()
        for number in 0..<150 as Range<UInt64> {
            let made =
                switch number % 6 {
                case 0, 2: generator.next()
                case 4: generator.nextNamed()
                case 5: generator.nextJoined()
                default: generator.nextLikely()
                }
            let caseSeed = seed << 32 | number
            guard try QueryTrial.failure(of: made, seed: caseSeed, &coverage) != nil else { continue }
            let smallest = made.shrunk { smaller in
                var ignored = QueryTrial.Coverage()
                return (try? QueryTrial.failure(of: smaller, seed: caseSeed, &ignored)) ?? nil != nil
            }
            let failure = try QueryTrial.failure(of: smallest, seed: caseSeed, &coverage) ?? ""
            Issue.record("seed \(seed), case \(number): \(failure)\n\(smallest)")
            return
        }
        #expect(coverage.isWide, "\(coverage)")
    }
}
