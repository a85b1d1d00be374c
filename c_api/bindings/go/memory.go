package rondo

import (
	"runtime"
	"sync"
)

// What engines take is not Go's, whose collector would not run for it: engines that nobody holds are
// collected before the next ones have doubled what there is.
type nativeMemory struct {
	mutex sync.Mutex
	taken uint64 // by engines that are not closed
	limit uint64 // where the collector is to run
}

const leastLimit = 64 << 20

var native = nativeMemory{limit: leastLimit}

func (m *nativeMemory) take(bytes uint64) {
	m.mutex.Lock()
	m.taken += bytes
	full := m.taken > m.limit
	if full {
		m.limit = 2 * m.taken // up to when the collector is done
	}
	m.mutex.Unlock()
	if !full {
		return
	}
	runtime.GC()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.limit = leastLimit
	if 2*m.taken > m.limit {
		m.limit = 2 * m.taken
	}
}

func (m *nativeMemory) give(bytes uint64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.taken -= bytes
	if m.limit > leastLimit && m.limit > 4*m.taken {
		m.limit = leastLimit
	}
}
