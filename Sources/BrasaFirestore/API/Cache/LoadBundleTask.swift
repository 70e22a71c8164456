internal import BrasaApp
internal import BrasaSync
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Names an observer of a ``LoadBundleTask``.
public typealias LoadBundleObserverHandle = Int

/// The loading of a bundle, which can be watched.
public final class LoadBundleTask: Sendable {
    private typealias Observer = Handed<(LoadBundleTaskProgress) -> Void>
    typealias Completion = (LoadBundleTaskProgress?, (any Error)?) -> Void

    private struct State {
        var observers: [(handle: LoadBundleObserverHandle, observer: Observer)] = []
        var lastHandle: LoadBundleObserverHandle = 0
        var completion: Handed<Completion>?
    }

    private let state: Mutex<State>
    /// On the user's queue one after the other, so that the steps stay in order when that queue is a concurrent one.
    private let queue: DispatchQueue

    init(queue: DispatchQueue, completion: Completion?) {
        self.queue = DispatchQueue(label: "BrasaFirestore.LoadBundleTask", target: queue)
        self.state = Mutex(State(completion: completion.map { Handed($0) }))
    }

    /// The observer is told every step from now on. Observers are called in the order in which they were added.
    @discardableResult
    public func addObserver(_ observer: @escaping (LoadBundleTaskProgress) -> Void) -> LoadBundleObserverHandle {
        let observer = Handed(observer)
        return self.state.withLock { state in
            state.lastHandle += 1
            state.observers.append((state.lastHandle, observer))
            return state.lastHandle
        }
    }

    public func removeObserverWith(handle: LoadBundleObserverHandle) {
        self.state.withLock { state in state.observers.removeAll { $0.handle == handle } }
    }

    /// Also forgets the completion handler.
    public func removeAllObservers() {
        self.state.withLock { state in
            state.observers = []
            state.completion = nil
        }
    }

    // MARK: - From the engine

    func report(_ progress: BundleProgress) {
        let progress = LoadBundleTaskProgress(progress, .inProgress)
        self.queue.async { self.tell(progress) }
    }

    func finish(_ result: Result<BundleProgress, SyncError>) {
        let progress: LoadBundleTaskProgress
        let error: NSError?
        switch result {
        case .success(let done): (progress, error) = (LoadBundleTaskProgress(done, .success), nil)
        case .failure(let failure): (progress, error) = (LoadBundleTaskProgress(nil, .error), failure.nsError)
        }
        self.queue.async {
            self.tell(progress)
            let completion = self.state.withLock { $0.completion }
            self.removeAllObservers()
            completion?.value(progress, error)
        }
    }

    private func tell(_ progress: LoadBundleTaskProgress) {
        for entry in self.state.withLock({ $0.observers }) { entry.observer.value(progress) }
    }
}
