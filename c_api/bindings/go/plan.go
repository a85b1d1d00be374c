package rondo

// #include <rondo/rondo.h>
import "C"

// Plan tells what an engine with these options will take, to the byte.
func (m *Model) Plan(options EngineOptions) (MemoryPlan, error) {
	plan := C.rondo_memory_plan{struct_size: C.sizeof_rondo_memory_plan}
	err := m.with(func(handle *C.rondo_model) error {
		return options.with(func(raw *C.rondo_engine_options) error {
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_plan(handle, raw, &plan, message, bytes)
			})
		})
	})
	return memoryPlanOf(&plan), err
}

// PlanRegions lists the parts of that plan, lowest address first.
func (m *Model) PlanRegions(options EngineOptions) ([]MemoryRegion, error) {
	plan, err := m.Plan(options)
	if err != nil {
		return nil, err
	}
	regions := make([]MemoryRegion, plan.NRegions)
	err = m.with(func(handle *C.rondo_model) error {
		return options.with(func(raw *C.rondo_engine_options) error {
			for i := range regions {
				region := C.rondo_memory_region{struct_size: C.sizeof_rondo_memory_region}
				if err := check(C.rondo_plan_region(handle, raw, C.uint32_t(i), &region)); err != nil {
					return err
				}
				regions[i] = memoryRegionOf(&region)
			}
			return nil
		})
	})
	return regions, err
}

// PlanFit is the largest context whose plan fits into so many bytes.
func (m *Model) PlanFit(size uint64, options EngineOptions) (int, error) {
	var context C.uint32_t
	err := m.with(func(handle *C.rondo_model) error {
		return options.with(func(raw *C.rondo_engine_options) error {
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_plan_fit(handle, raw, C.uint64_t(size), &context, message, bytes)
			})
		})
	})
	return int(context), err
}
