internal import BrasaApp

/// A pause of one task, which ends once: by whoever ends it, or by the task's cancellation.
typealias Pause = Waiter<Void>

extension Pause {
    func wait() async { await self.wait(orWhenCancelled: ()) }
    func end() { self.finish(()) }
}
