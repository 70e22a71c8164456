extension Compiler {
    /// Functions that call one another, the first of them included.
    static let callDepthMax = 20

    /// Refuses cycles and long chains of calls, so that evaluation ends and its depth has a bound.
    mutating func checkCalls() {
        var pending = self.functions.map(\.calls.count)
        var callers: [[Int]] = Array(repeating: [], count: self.functions.count)
        for (caller, function) in self.functions.enumerated() {
            for callee in function.calls { callers[callee].append(caller) }
        }
        // From those that call nobody upwards; what a cycle holds is never reached.
        var ready = pending.indices.filter { pending[$0] == 0 }
        var depth = Array(repeating: 1, count: self.functions.count)
        var deepest: [Int?] = Array(repeating: nil, count: self.functions.count)
        while let function = ready.popLast() {
            if depth[function] == Self.callDepthMax + 1 { self.tellOfDepth(function, deepest) }
            for caller in callers[function] {
                if depth[function] + 1 > depth[caller] {
                    depth[caller] = depth[function] + 1
                    deepest[caller] = function
                }
                pending[caller] -= 1
                if pending[caller] == 0 { ready.append(caller) }
            }
        }
        self.tellOfCycles(Set(pending.indices.filter { pending[$0] > 0 }))
    }

    private mutating func tellOfDepth(_ function: Int, _ deepest: [Int?]) {
        var names: [String] = []
        var next: Int? = function
        while let index = next {
            names.append(self.functions[index].syntax.name.text)
            next = deepest[index]
        }
        self.diagnostics.error(
            "Maximum allowed call depth of \(Self.callDepthMax) is reached for "
                + "[\(names.joined(separator: "->"))] call stack.",
            at: self.functions[function].syntax.name.range
        )
    }

    /// `suspects` are the functions that are in a cycle or call into one. Each is walked over once.
    private mutating func tellOfCycles(_ suspects: Set<Int>) {
        var seen: Set<Int> = []
        for start in suspects.sorted() where !seen.contains(start) {
            var path: [Int] = []
            var next: Int? = start
            while let function = next, seen.insert(function).inserted {
                path.append(function)
                next = self.functions[function].calls.first { suspects.contains($0) }
            }
            guard let next, let first = path.firstIndex(of: next) else { continue }
            let cycle = path[first...].map { self.functions[$0].syntax.name.text }
            let range = self.functions[next].syntax.name.range
            if cycle.count == 1 {
                self.diagnostics.error("Recursive call is not allowed.", at: range)
            } else {
                self.diagnostics.error(
                    "Detected a call cycle between [\(cycle.joined(separator: ","))] functions.",
                    at: range
                )
            }
        }
    }
}
