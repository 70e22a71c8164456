import BrasaStatus
import Testing

@testable import BrasaSync

@Suite struct SyncErrorTests {
    @Test(arguments: StatusCode.allCases)
    func `A failure has the code that it was given, and is never OK`(_ code: StatusCode) {
        #expect(SyncError(code).code == (code == .ok ? .unknown : code))
    }

    @Test func `Repeating makes no sense after answers that stay the same, and writes may meet others`() {
        let permanent = StatusCode.allCases.filter(\.isPermanent)
        #expect(
            permanent == [
                .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition, .aborted,
                .outOfRange, .unimplemented, .dataLoss,
            ]
        )
        #expect(StatusCode.allCases.filter(\.isPermanentForWrites) == permanent.filter { $0 != .aborted })
    }
}
