import BrasaApp
import Testing

@Suite("Waits that end once", .timeLimit(.minutes(1)))
struct WaiterTests {
    @Test("The first value counts, whether it comes before the wait or during it", arguments: [true, false])
    func first(_ isBefore: Bool) async {
        let waiter = Waiter<Int>()
        if isBefore {
            waiter.finish(1)
            waiter.finish(2)
        }
        async let value = waiter.wait(orWhenCancelled: 0)
        if !isBefore {
            await Task.yield()
            waiter.finish(1)
            waiter.finish(2)
        }
        #expect(await value == 1)
    }

    @Test("A task that is cancelled waits no longer, before the wait or during it", arguments: [0, 1, 100])
    func cancelled(_ turns: Int) async {
        let waiter = Waiter<Result<Int, any Error>>()
        let task = Task { try await waiter.wait() as Int }
        for _ in 0..<turns { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // What comes then finds nobody.
        waiter.finish(.success(1))
    }
}
